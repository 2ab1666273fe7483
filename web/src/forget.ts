// Deletes all personal data that this browser stores, on sign-out and when the Workspace of the session is archived.
import { forgetSearches } from "./search/recent.ts";
import { forgetMembers } from "./shell/remembered.ts";
import { leave } from "./store/left.ts";
import { forgetAll } from "./store/persist.ts";

export async function forgetKept() {
  leave();
  forgetMembers();
  forgetSearches();
  await forgetAll();
}
