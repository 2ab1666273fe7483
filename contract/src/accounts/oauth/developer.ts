// Developer clients: the command line and IDE plugins. Public OAuth clients that sign in through a browser and prove
// themselves by S256 PKCE.
import { C, list, op, S, T } from "../../kit.ts";
import { Id, object } from "../../types.ts";
import { Workspace, WorkspaceRow } from "../workspaces/workspaces.ts";
import { authorizing, exchanging, OAuthTokens } from "./protocol.ts";

export const authorizeDeveloperClient = op("GET /dev/oauth/authorize", "Request access for a developer client", {
  description:
    "For svc-cli, svc-ide-a and svc-ide-b, with a callback at http://127.0.0.1:{port}/callback. " +
    "Redirects the browser to the consent page, or back to the client with an error. " +
    "A browser without a session signs in first.",
  auth: [S],
  ...authorizing,
});

export const createDeveloperToken = op("POST /dev/oauth/token", "Exchange a code or a refresh token", {
  description:
    "A code is valid once and for five minutes, an access token for 15 minutes, a refresh token once and for 30 " +
    "days. Reuse of a code or refresh token revokes the whole token family.",
  ...exchanging,
  example: {
    grant_type: "authorization_code",
    client_id: "svc-cli",
    code: "SplxlOBeZQQYbYS6WxSbIA",
    redirect_uri: "http://127.0.0.1:49152/callback",
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  },
});

export const revokeDeveloperToken = op("POST /dev/oauth/revoke", "Revoke the calling credential", {
  description: "Revokes all access and refresh tokens of its token family.",
  auth: [C],
  anyScope: true,
  endsCredential: true,
});

export const getDeveloperWorkspace = op("GET /dev/workspace", "Read the Workspace of the calling credential", {
  auth: [C],
  anyScope: true,
  returns: Workspace,
  errors: ["not_found"],
});

const { id, slug, name, role } = WorkspaceRow.properties;
export const getTokenWorkspace = op("GET /me/token-workspace", "Read which Workspace the calling token is for", {
  unnamed: "a personal token does not name its Workspace, and POST /cli/mcp/token requires the Workspace's id",
  tag: "Account",
  auth: [T, C],
  anyScope: true,
  returns: object({ workspace_id: id, slug, name, role }),
  errors: ["not_found"],
});

export const replaceDeveloperWorkspace = op("PUT /dev/workspace", "Move the calling credential to another Workspace", {
  description: "Returns new tokens for that Workspace; all earlier tokens of the family become invalid at once.",
  auth: [C],
  anyScope: true,
  endsCredential: true,
  secret: true,
  body: object({ workspace_id: Id }),
  example: { workspace_id: "01980000-0000-7000-8000-000000000001" },
  returns: object({ ...OAuthTokens.properties, workspace_id: Id }),
  errors: ["workspace_access_denied"],
});

export const listDeveloperWorkspaces = list(
  "GET /dev/workspaces",
  "List the Workspaces that the calling credential can move to",
  {
    description: "Lists the Workspaces of your active memberships that are not archived, oldest first.",
    auth: [C],
    anyScope: true,
    items: WorkspaceRow,
  },
);
