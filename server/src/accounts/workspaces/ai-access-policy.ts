// AI access policy: whether external AI clients may access a Workspace. Every use of an MCP credential evaluates it
// (letsAiIn in access.ts), so this module revokes nothing and caches nothing.
import * as contract from "@svc/contract/accounts/workspaces/ai-access-policy.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { policyOf } from "./access.ts";
import { aiAccessPolicyReplaced } from "./events.ts";
import { managing } from "./rules.ts";
import { decide, policySelect } from "./store.ts";

const SELECT = policySelect(contract.AiAccessPolicy, "ai_access_policies", { enabled: "coalesce(s.enabled, true)" });

export const getAiAccessPolicy = implement(
  contract.getAiAccessPolicy,
  policyOf("workspace:read", SELECT),
  async ({ member }, { target }) => render(target, managing(member.role)),
);

export const replaceAiAccessPolicy = implement(
  contract.replaceAiAccessPolicy,
  policyOf("workspace:manage", SELECT),
  async ({ tx, member, record }, { target, body }) => {
    const { row, changed } = await decide(tx, "ai_access_policies", target, body, SELECT);
    if (changed.length > 0) record(aiAccessPolicyReplaced({ kind: "workspace", id: member.workspaceId }, body));
    return render(row, managing(member.role));
  },
);
