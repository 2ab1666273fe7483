// What this browser keeps of a person, forgotten whichever way they leave.
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
