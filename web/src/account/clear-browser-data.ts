// Deletes all personal data that this browser stores, on sign-out and when the Workspace of the session is archived.
import { forgetSearches } from "../search/recent-searches.ts";
import { forgetMembers } from "../shell/remembered-workspaces.ts";
import { forgetAll } from "../store/persistence.ts";
import { leave } from "../store/sign-out.ts";

export async function forgetKept() {
  leave();
  forgetMembers();
  forgetSearches();
  await forgetAll();
}
