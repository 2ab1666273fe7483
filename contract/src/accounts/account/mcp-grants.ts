// The MCP clients that may act for the signed-in person, each in one Workspace.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, Line, Name, nullable, object, resource, Timestamp } from "../../types.ts";

export const McpGrant = object({
  ...resource,
  workspace_id: Id,
  workspace_name: Name(100),
  client_id: Line(2048),
  client_name: { ...Line(100), description: "Name that the client states; unverified." },
  scopes: Type.Array(Type.String()),
  last_used_at: nullable(Timestamp),
});

export const listMcpGrants = list("GET /me/mcp/grants", "List the MCP clients that you have authorized", {
  description: "Lists the grants that still hold a token, newest first.",
  auth: [S],
  items: McpGrant,
});

export const deleteMcpGrant = op("DELETE /me/mcp/grants/{grant_id}", "Revoke an MCP client's access at once", {
  description: "Revokes all tokens of this grant. Revoking it again also returns 204.",
  auth: [S],
});
