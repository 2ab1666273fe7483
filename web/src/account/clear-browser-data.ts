// Deletes all personal data that this browser stores, on sign-out and when the Workspace of the session is archived.

import { forgetMembers } from "../first-paint/remembered-workspaces.ts";
import { forgetSearches } from "../search/recent-searches.ts";
import { forgetAll } from "../store/persistence.ts";
import { leave } from "../store/sign-out.ts";

export async function forgetKept() {
  leave();
  forgetMembers();
  forgetSearches();
  await forgetAll();
}
