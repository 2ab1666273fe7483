// Events of an answer's run.
import * as contract from "@svc/contract/assistant/discuss/runs.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { ownMessage } from "./access.ts";
import { runEvents } from "./store.ts";

export const listDiscussRunEvents = implement(
  contract.listDiscussRunEvents,
  ownMessage,
  async ({ tx }, { target: { run_id }, query: { after = 0 } }) => ({
    items: run_id === null ? [] : ((await runEvents(tx, run_id, after, contract.MOST_RUN_EVENTS)) as never[]),
  }),
);
