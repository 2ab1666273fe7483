// Members request a provider, and those who manage Integrations are notified. Connecting the provider closes the
// request; a manager declines it here.
import * as contract from "@svc/contract/connect/integrations/requests.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import { tellAbout } from "../../history/inbox/change.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { request } from "./access.ts";
import { integrationRequested, requestDeclined } from "./events.ts";
import { answerRequests } from "./install/answer-requests.ts";
import { createRequest, declineRequest, listOpenRequests } from "./install/request-store.ts";
import { providerOf } from "./providers/providers.ts";

export const createIntegrationRequest = implement(
  contract.createIntegrationRequest,
  workspace("work:write"),
  async ({ tx, member, record, defer }, { body }) => {
    const { provider_key, note = "" } = body;
    const provider = providerOf.get(provider_key);
    if (!provider) return refuseAt("/body/provider_key", "invalid_reference", "must be a provider of the catalogue");
    const id = newId();
    const made = await createRequest(tx, id, provider_key, note);
    defer(
      tellAbout(tx, [
        {
          category: "request_received",
          event_type: "integration_request.created",
          from_actor_id: member.actorId,
          about_kind: "integration_request",
          about_id: id,
          about_name: provider.name,
          about_note: note || null,
          actor_ids: null,
        },
      ]),
    );
    record(integrationRequested({ kind: "integration_request", id }, { provider_key }));
    return render(made, may(member.role, "integrations:manage") ? ["integration_request:decide"] : []);
  },
);

export const listIntegrationRequests = implementList(
  contract.listIntegrationRequests,
  workspace("integrations:manage"),
  (tx, { page }) => listOpenRequests(tx, page),
);

export const declineIntegrationRequest = implement(
  contract.declineIntegrationRequest,
  request,
  async (context, { target }) => {
    const { tx, member, record } = context;
    if (target.state === "declined") return render(target, []);
    if (target.state === "closed") return refuse("request_decided");
    const row = await declineRequest(tx, target.id);
    const providerName = providerOf.get(target.provider_key)?.name ?? target.provider_key;
    answerRequests(context, [target], "integration_request.declined", { actorId: member.actorId, providerName });
    record(requestDeclined({ kind: "integration_request", id: target.id }));
    return render(row, []);
  },
);
