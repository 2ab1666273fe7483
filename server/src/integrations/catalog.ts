// What a Workspace can be connected with: every provider, and whether the operator has registered the service there.
import * as contract from "@svc/contract/integrations/catalog.ts";
import { account, implementWithEffects } from "../kernel/implement.ts";
import { isAvailable } from "./provider.ts";
import { providers } from "./providers/providers.ts";

export const getIntegrationCatalog = implementWithEffects(
  contract.getIntegrationCatalog,
  account(),
  async ({ outside }) => ({
    items: providers.map((provider) => {
      const available = isAvailable(provider, outside.integrations.apps);
      return {
        provider_key: provider.key,
        name: provider.name,
        authorization: provider.authorization,
        scopes: [...provider.scopes],
        actions: Object.keys(provider.actions),
        event_kinds: [...provider.events],
        self_hosted: provider.selfHosted,
        identities: provider.identities,
        available,
        reason: available ? null : ("not_configured" as const),
      };
    }),
  }),
);
