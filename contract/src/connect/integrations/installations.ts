// Installations: a Workspace's connections to providers, and their resources that a Project can be bound to.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, resource, single, Timestamp } from "../../types.ts";
import { ProviderKey } from "./catalog.ts";

/** Reasons why an installation is not active. */
export const installationErrors = {
  address_refused: "The address is not one of the public internet, or its name does not resolve.",
  unreachable: "The provider did not answer in time.",
  credential_refused: "The provider refuses the credential; connect it again.",
  rate_limited: "The provider limits the rate for a while.",
  refused: "The provider refuses the request, perhaps because a permission is missing.",
  removed: "The provider reports that the installation was removed there.",
} as const;
export type InstallationError = keyof typeof installationErrors;

export const IntegrationInstallationRow = object({
  ...resource,
  workspace_id: Id,
  provider_key: ProviderKey,
  base_url: {
    ...nullable(Type.String()),
    description: "Address of your own instance; null: the provider's usual address.",
  },
  account_name: Type.String({ description: "Name of the account, organisation or team at the provider." }),
  state: Type.Enum(["active", "degraded", "revoked"], {
    description:
      "degraded: it does not work now, and is retried. revoked: the provider has ended it; connect it " + "again.",
  }),
  error_code: {
    ...nullable(Type.Enum(Object.keys(installationErrors) as InstallationError[])),
    description: `Null while it is active.\n${Object.entries(installationErrors)
      .map(([code, says]) => `- \`${code}\`: ${says}`)
      .join("\n")}`,
  },
  actor_id: { ...Id, description: "Actor for changes that no person makes." },
  installed_by_actor_id: Id,
  checked_at: { ...nullable(Timestamp), description: "Time of the last successful answer of the provider." },
  refreshed_at: { ...nullable(Timestamp), description: "Time of the last listing of its resources." },
});
export const IntegrationInstallation = single(IntegrationInstallationRow);

export const listIntegrationInstallations = list(
  "GET /workspaces/{workspace_id}/integration-installations",
  "List the connections of the Workspace",
  { description: "Lists the newest first.", auth: [S], include: ["people"], items: IntegrationInstallationRow },
);

export const getIntegrationInstallation = op(
  "GET /integration-installations/{installation_id}",
  "Read a connection of the Workspace",
  { auth: [S], include: ["people"], returns: IntegrationInstallation },
);

export const deleteIntegrationInstallation = op(
  "DELETE /integration-installations/{installation_id}",
  "End a connection of the Workspace",
  {
    description:
      "Needs integrations:manage. Ends the bindings of the connection too; what it added to Tasks " +
      "remains. In the background, its webhooks are removed and its credential is revoked at the " +
      "provider, and the credential is deleted here.",
    auth: [S],
  },
);

export const createIntegrationManagementLink = op(
  "POST /integration-installations/{installation_id}/management-link",
  "Read the URL that manages a connection at its provider",
  {
    description: "Needs integrations:manage.",
    auth: [S],
    quiet: "The operation returns an address and changes nothing.",
    returns: object({ url: Type.String() }),
    errors: ["management_unavailable", "installation_revoked"],
  },
);

/** Reasons why one resource fails while the rest of its connection works, each with the remedy. */
export const resourceErrors = {
  refused:
    "The provider refuses access to the resource. Give the connected account the right to manage " +
    "webhooks there (administrator or maintainer), then list the resources anew.",
  missing:
    "The provider has no such resource for the connected account: it was removed, or the account lost " +
    "access. Restore the access, then list the resources anew, or remove the binding.",
} as const;
export type ResourceError = keyof typeof resourceErrors;
export const ResourceErrorCode = {
  ...nullable(Type.Enum(Object.keys(resourceErrors) as ResourceError[])),
  description: `Null while it works.\n${Object.entries(resourceErrors)
    .map(([code, says]) => `- \`${code}\`: ${says}`)
    .join("\n")}`,
};

export const IntegrationResource = object({
  ...resource,
  installation_id: Id,
  external_id: Type.String({ description: "Id at the provider." }),
  kind: Type.Enum(["repository", "channel", "project", "file", "endpoint"]),
  name: Type.String(),
  url: nullable(Type.String()),
  error_code: ResourceErrorCode,
});

export const listIntegrationResources = list(
  "GET /integration-installations/{installation_id}/resources",
  "List the resources that a Project can be bound to",
  {
    description:
      "Lists resources by name, from the last listing at the provider; it is refreshed every hour, and " +
      "on request. For an installation of a GitHub App, it has the resources visible to the people who " +
      "have connected it: connecting it again adds yours.",
    auth: [S],
    items: IntegrationResource,
  },
);

export const refreshIntegrationResources = op(
  "POST /integration-installations/{installation_id}/resources/refresh",
  "Refresh the resources of a connection",
  {
    description:
      "Needs integrations:manage. The refresh runs in the background: refreshed_at of the installation " +
      "is the time of its completion.",
    auth: [S],
    status: 202,
    quiet: "The result is recorded when the refresh completes.",
    returns: IntegrationInstallation,
    errors: ["installation_revoked", "integration_unavailable"],
  },
);
