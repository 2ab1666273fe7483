// Members ask for a provider; whoever connects it closes what was asked.
import * as contract from "@svc/contract/integrations/requests.ts";
import { implement } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { newId } from "../wire/ids.ts";
import { refuseAt } from "../wire/problem.ts";
import { workspace } from "../workspaces/access.ts";
import { integrationRequested } from "./events.ts";
import { providerOf } from "./providers/providers.ts";
import { createRequest } from "./request-store.ts";

export const createIntegrationRequest = implement(
  contract.createIntegrationRequest,
  workspace("work:write"),
  async ({ tx, record }, { body }) => {
    const { provider_key, note = "" } = body;
    if (!providerOf.has(provider_key))
      return refuseAt("/body/provider_key", "invalid_reference", "must be a provider of the catalogue");
    const id = newId();
    const made = await createRequest(tx, id, provider_key, note);
    record(integrationRequested({ kind: "integration_request", id }, { provider_key }));
    return render(made, []);
  },
);
