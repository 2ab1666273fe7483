// Read position of a member, which only advances.
import * as contract from "@svc/contract/assistant/discuss/read-state.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { readOn } from "./store.ts";

export const advanceDiscussReadState = implement(
  contract.advanceDiscussReadState,
  workspace("workspace:read"),
  ({ tx }, { body: { last_read_sequence } }) => readOn(tx, last_read_sequence),
);
