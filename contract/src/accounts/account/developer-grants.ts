// The developer clients (command line, IDE plugins) that may act for the signed-in person, each in one Workspace.
import { list, op, S } from "../../kit.ts";
import { object } from "../../types.ts";
import { McpGrant } from "./mcp-grants.ts";

const unnamed = "a person sees and ends what a lost machine can still do, as for MCP clients";

export const DeveloperGrant = object(McpGrant.properties);

export const listDeveloperGrants = list("GET /me/developer-grants", "List the developer clients that you have let in", {
  description: "Those that still hold a token, newest first.",
  auth: [S],
  unnamed,
  tag: "Account",
  items: DeveloperGrant,
});

export const deleteDeveloperGrant = op(
  "DELETE /me/developer-grants/{grant_id}",
  "Shut a developer client out at once",
  {
    description:
      "Ends its access and refresh tokens of this grant, and the MCP tokens that it was given for them. Repeating it answers 204 as well.",
    auth: [S],
    unnamed,
    tag: "Account",
  },
);
