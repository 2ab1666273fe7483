// MCP service credentials belong to a Workspace and serve MCP clients that act on behalf of no person.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, Name, nullable, object, resource, single, Timestamp } from "../../types.ts";
import { mcpScopes } from "../oauth/scopes.ts";

const fields = {
  name: Name(100),
  scopes: Type.Array(Type.Unsafe<string>({ type: "string", enum: [...mcpScopes] }), {
    minItems: 1,
    maxItems: mcpScopes.length,
    uniqueItems: true,
  }),
  project_ids: Type.Array(Id, {
    maxItems: 1000,
    uniqueItems: true,
    description: "Projects that the credential is narrowed to; empty: every Project visible to the Workspace.",
  }),
};

export const McpServiceCredential = object({
  ...resource,
  workspace_id: Id,
  actor_id: { ...Id, description: "Service Actor that the credential acts as, not a person." },
  ...fields,
  last_four: Type.String(),
  expires_at: Timestamp,
  last_used_at: nullable(Timestamp),
});
export const CreatedMcpServiceCredential = single(
  object({
    ...McpServiceCredential.properties,
    token: Type.String({ description: "The raw credential, `svc_msk_...`, shown only here." }),
  }),
);

export const listMcpServiceCredentials = list(
  "GET /workspaces/{workspace_id}/mcp-service-credentials",
  "List the active MCP service credentials",
  {
    description: "Needs workspace:manage. Lists at most 100, newest first.",
    auth: [S],
    include: ["people"],
    items: McpServiceCredential,
    errors: ["forbidden"],
  },
);

export const createMcpServiceCredential = op(
  "POST /workspaces/{workspace_id}/mcp-service-credentials",
  "Create an MCP service credential",
  {
    description:
      "Needs workspace:manage. The credential acts as its own service Actor, which remains in the Workspace as " +
      "the author of its changes. It is accepted at /mcp only, while external AI access is enabled. " +
      "At most 100 credentials are active.",
    auth: [S],
    recentAuth: true,
    status: 201,
    creates: "/workspaces/{workspace_id}/mcp-service-credentials/{id}",
    secret: true,
    body: object({
      name: fields.name,
      scopes: fields.scopes,
      project_ids: Type.Optional(fields.project_ids),
      expires_at: Type.Optional({
        ...Timestamp,
        maxLength: 64,
        description: "At most 366 days ahead; 365 days if omitted.",
      }),
    }),
    example: { name: "Nightly report", scopes: ["svc:tasks:read", "svc:activity:read"] },
    returns: CreatedMcpServiceCredential,
    errors: ["invalid_expiry", "invalid_reference", "limit_reached"],
  },
);

export const revokeMcpServiceCredential = op(
  "DELETE /workspaces/{workspace_id}/mcp-service-credentials/{credential_id}",
  "Revoke an MCP service credential at once",
  { description: "Needs workspace:manage. Revoking it again also returns 204.", auth: [S] },
);
