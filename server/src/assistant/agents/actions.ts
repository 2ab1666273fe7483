// Actions that a run proposes to its initiator, who alone decides. The first valid decision wins, and is bound to one
// digest.
import * as contract from "@svc/contract/assistant/agents/actions.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import { type Access, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import * as store from "./execution/action-store.ts";
import { anyRun } from "./runs.ts";

export const listAgentRunActions = implementList(contract.listAgentRunActions, anyRun, (tx, { params, page }) =>
  store.listActions(tx, params.run_id, page),
);
const approval: Access<store.AgentActionTarget> = {
  reach: "membership",
  load: (tx, params, change) => (change ? store.holdApproval(tx, params) : store.readApproval(tx, params)),
  permits: ({ member }) => may(member.role, "agents:run"),
};

export const decideAgentApproval = implement(
  contract.decideAgentApproval,
  approval,
  async ({ tx, enqueue }, { target, body: { digest, decision } }) => {
    if (digest !== target.digest) return refuse("digest_mismatch");
    if (target.state !== "waiting" || target.expired) {
      const code = target.state === "waiting" ? "expired" : target.state;
      return refuse("approval_closed", { errors: [{ pointer: "/state", code, detail: `it is ${code}` }] });
    }
    if (decision === "approve" && !target.agent_active) return refuse("agent_not_active");
    const decided = await store.decideAction(tx, target, decision === "approve" ? "approved" : "rejected");
    if (decision === "approve") enqueue("agents", {});
    return render(decided, []);
  },
);
