// The developer clients (command line, IDE plugins) that may act for the signed-in person, each in one Workspace.
import { list, op, S } from "../../kit.ts";
import { object } from "../../types.ts";
import { McpGrant } from "./mcp-grants.ts";

const unnamed = "a person can list and revoke the access of a lost machine, as for MCP clients";

export const DeveloperGrant = object(McpGrant.properties);

export const listDeveloperGrants = list(
  "GET /me/developer-grants",
  "List the developer clients that you have authorized",
  {
    description: "Lists the grants that still hold a token, newest first.",
    auth: [S],
    unnamed,
    tag: "Account",
    items: DeveloperGrant,
  },
);

export const deleteDeveloperGrant = op(
  "DELETE /me/developer-grants/{grant_id}",
  "Revoke a developer client's access at once",
  {
    description:
      "Revokes the access and refresh tokens of this grant, and the MCP tokens issued in exchange for them. " +
      "Revoking it again also returns 204.",
    auth: [S],
    unnamed,
    tag: "Account",
  },
);
