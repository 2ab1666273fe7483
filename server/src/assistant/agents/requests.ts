// Members' requests about definitions. PATCH of the definition decides them.
import * as contract from "@svc/contract/assistant/agents/requests.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { definition } from "./access.ts";
import { requestCreated } from "./events.ts";
import * as store from "./request-store.ts";

export const listAgentRequests = implementList(
  contract.listAgentRequests,
  definition("agents:read"),
  (tx, { params, query, page }) => store.listRequests(tx, params.definition_id, query.state, page),
);

export const createAgentRequest = implement(
  contract.createAgentRequest,
  definition("agents:run"),
  async ({ tx, member, record }, { target, body }) => {
    const { kind, note = "" } = body;
    if (kind === "publish" && target.is_published) return refuse("definition_not_draft");
    const id = newId();
    const version = kind === "publish" ? target.version : null;
    const made = await store.createRequest(tx, { id, definitionId: target.id, version, kind, note });
    record(requestCreated({ kind: "agent_request", id }, { kind, definition_id: target.id }));
    return render(made, may(member.role, "agents:manage") ? ["agent_request:decide"] : []);
  },
);
