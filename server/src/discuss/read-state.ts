// How far a member has read: it only advances.
import * as contract from "@svc/contract/discuss/read-state.ts";
import { implement } from "../kernel/implement.ts";
import { workspace } from "../workspaces/access.ts";
import { readOn } from "./store.ts";

export const advanceDiscussReadState = implement(
  contract.advanceDiscussReadState,
  workspace("workspace:read"),
  ({ tx }, { body: { last_read_sequence } }) => readOn(tx, last_read_sequence),
);
