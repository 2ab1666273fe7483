// Wire views of Integrations. Queries alias the installation as i, the resource as r, the request as q, the binding as
// b, the subscription as s and the delivery as d.
import { IntegrationBindingRow } from "@svc/contract/connect/integrations/bindings.ts";
import { IntegrationDelivery } from "@svc/contract/connect/integrations/deliveries.ts";
import { IntegrationIdentity } from "@svc/contract/connect/integrations/identities.ts";
import { IntegrationInstallationRow, IntegrationResource } from "@svc/contract/connect/integrations/installations.ts";
import { IntegrationRequestRow } from "@svc/contract/connect/integrations/requests.ts";
import { IntegrationSubscriptionRow } from "@svc/contract/connect/integrations/subscriptions.ts";
import { view } from "../../platform/database/view.ts";

export const installationView = view(IntegrationInstallationRow, "i", { base_url: "nullif(i.base_url, '')" });
export const resourceView = view(IntegrationResource, "r");
export const requestView = view(IntegrationRequestRow, "q");
export const bindingView = view(IntegrationBindingRow, "b", {
  provider_key: "i.provider_key",
  resource:
    "json_build_object('kind', r.kind, 'name', r.name, 'url', r.url, 'listed', r.listed, 'error_code', r.error_code)",
});
export const identityView = view(IntegrationIdentity, "n", { base_url: "nullif(n.base_url, '')" });
export const subscriptionView = view(IntegrationSubscriptionRow, "s");
export const deliveryView = view(IntegrationDelivery, "d", {
  action: "d.kind",
  resource: `(select json_build_object('id', r.id, 'kind', r.kind, 'name', r.name, 'url', r.url)
    from integration_resources r
    where r.workspace_id = d.workspace_id and r.installation_id = d.installation_id and r.external_id = d.lane)`,
  replayable: "d.state <> 'waiting' and d.body is not null",
});
