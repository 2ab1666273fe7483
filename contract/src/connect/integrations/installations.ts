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
  rate_limited: "The provider wants fewer questions for a while.",
  refused: "The provider refuses what is asked, perhaps because a right is missing.",
  removed: "The provider says that it was removed there.",
} as const;
export type InstallationError = keyof typeof installationErrors;

export const IntegrationInstallationRow = object({
  ...resource,
  workspace_id: Id,
  provider_key: ProviderKey,
  base_url: { ...nullable(Type.String()), description: "Of one's own; null: the provider's usual address." },
  account_name: Type.String({ description: "Of the account, organisation or team at the provider." }),
  state: Type.Enum(["active", "degraded", "revoked"], {
    description:
      "degraded: it does not work now, and is tried again. revoked: the provider has ended it; connect it again.",
  }),
  error_code: {
    ...nullable(Type.Enum(Object.keys(installationErrors) as InstallationError[])),
    description: `Null while it is active.\n${Object.entries(installationErrors)
      .map(([code, says]) => `- \`${code}\`: ${says}`)
      .join("\n")}`,
  },
  actor_id: { ...Id, description: "As which it acts where nobody else does." },
  installed_by_actor_id: Id,
  checked_at: { ...nullable(Timestamp), description: "When the provider last answered well." },
  refreshed_at: { ...nullable(Timestamp), description: "When its resources were last listed." },
});
export const IntegrationInstallation = single(IntegrationInstallationRow);

export const listIntegrationInstallations = list(
  "GET /workspaces/{workspace_id}/integration-installations",
  "List what the Workspace is connected with",
  { description: "The newest first.", auth: [S], include: ["people"], items: IntegrationInstallationRow },
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
      "Needs integrations:manage. Its bindings end with it. What it brought to Tasks stays. " +
      "In the background its webhooks are removed at the provider, its credential is revoked there, " +
      "and forgotten here.",
    auth: [S],
  },
);

export const createIntegrationManagementLink = op(
  "POST /integration-installations/{installation_id}/management-link",
  "Get the address at which a connection is managed at its provider",
  {
    description: "Needs integrations:manage.",
    auth: [S],
    quiet: "it tells an address and changes nothing",
    returns: object({ url: Type.String() }),
    errors: ["management_unavailable", "installation_revoked"],
  },
);

/** Reasons why one resource fails while the rest of its connection works, each with the remedy. */
export const resourceErrors = {
  refused:
    "The provider refuses what is asked about it. Give the connected account the right to manage webhooks there " +
    "(administrator or maintainer), then list the resources anew.",
  missing:
    "The provider has no such resource for the connected account: it was removed, or the account lost its right. " +
    "Give it back, then list the resources anew, or end the binding.",
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
  external_id: Type.String({ description: "As the provider calls it." }),
  kind: Type.Enum(["repository", "channel", "project", "file", "endpoint"]),
  name: Type.String(),
  url: nullable(Type.String()),
  error_code: ResourceErrorCode,
});

export const listIntegrationResources = list(
  "GET /integration-installations/{installation_id}/resources",
  "List what a Project can be bound to",
  {
    description:
      "By name, as the provider listed it last; refreshed every hour, and where it is asked for. " +
      "Of a GitHub App's installation, what those could see there who have connected it: " +
      "connecting it again adds to that.",
    auth: [S],
    items: IntegrationResource,
  },
);

export const refreshIntegrationResources = op(
  "POST /integration-installations/{installation_id}/resources/refresh",
  "List the resources of a connection anew",
  {
    description:
      "Needs integrations:manage. It happens in the background: refreshed_at of the installation says when it has.",
    auth: [S],
    status: 202,
    quiet: "what it finds is recorded when it has",
    returns: IntegrationInstallation,
    errors: ["installation_revoked", "integration_unavailable"],
  },
);
