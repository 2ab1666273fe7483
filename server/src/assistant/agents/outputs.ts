// Outputs of a run, readable by its initiator.
import * as contract from "@svc/contract/assistant/agents/outputs.ts";
import { implementList } from "../../platform/kernel/implement-operation.ts";
import { listOutputs } from "./execution/action-store.ts";
import { anyRun } from "./runs.ts";

export const listAgentRunOutputs = implementList(contract.listAgentRunOutputs, anyRun, (tx, { params, page }) =>
  listOutputs(tx, params.run_id, page),
);
