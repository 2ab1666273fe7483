// What a Workspace can be connected with: every provider, and whether the operator has registered the service there.
import * as contract from "@svc/contract/integrations/catalog.ts";
import { account, implementWithEffects } from "../kernel/implement.ts";
import { isAvailable, isRegistered } from "./provider.ts";
import { providers } from "./providers/providers.ts";

export const getIntegrationCatalog = implementWithEffects(
  contract.getIntegrationCatalog,
  account(),
  async ({ outside }) => ({
    items: providers.map((provider) => {
      const { apps } = outside.integrations;
      const [available, registered] = [isAvailable(provider, apps), isRegistered(provider, apps)];
      return {
        provider_key: provider.key,
        name: provider.name,
        authorization: registered || !provider.connection.enter ? provider.authorization : ("credential" as const),
        scopes: [...provider.scopes],
        actions: Object.keys(provider.actions),
        event_kinds: [...provider.events],
        self_hosted: provider.selfHosted,
        identities: registered && provider.identities,
        available,
        reason: available ? null : ("not_configured" as const),
      };
    }),
  }),
);
