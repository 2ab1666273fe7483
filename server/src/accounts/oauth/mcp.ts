// MCP clients: registration, authorization, tokens, revocation, and the exchange of a script's or the command line's
// own token for a narrower one. Registration grants nothing; it accepts only loopback callbacks, because anyone may
// choose any client name.

import * as contract from "@svc/contract/accounts/oauth/mcp.ts";
import type { ErrorCode } from "@svc/contract/errors.ts";
import { implement, implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import { newId, newSecret, secretKind, sha256 } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { workspace } from "../workspaces/access.ts";
import { authorize, exchange, revoke } from "./engine.ts";
import { mcpTokenExchanged, mcpTokenRevoked, oauthClientRegistered } from "./events.ts";
import { families, isLoopback, knownScopes, withValues } from "./rules.ts";
import * as store from "./store.ts";

const refuseField = (code: ErrorCode, field: string, detail: string): never => refuseAt(`/body/${field}`, code, detail);

const everyGrant: ("authorization_code" | "refresh_token")[] = ["authorization_code", "refresh_token"];
const WEB =
  "A web callback needs no registration: publish a Client ID Metadata Document and use its https address as " +
  "client_id, or ask the operator for a reviewed registration (npm run clients).";
const UNNAMED = "Unnamed MCP client";

export const registerMcpClient = implementWithEffects(contract.registerMcpClient, open(), async (context, { body }) => {
  const { redirect_uris, grant_types = [], client_name } = body;
  for (const [at, uri] of redirect_uris.entries())
    if (!isLoopback(uri))
      refuseField("invalid_redirect_uri", `redirect_uris/${at}`, `must be an http callback on a loopback host. ${WEB}`);
  const scopes = knownScopes(body.scope) ?? refuseField("invalid_client_metadata", "scope", "has an unknown scope");
  const grants = grant_types.length > 0 ? grant_types : everyGrant;
  if (!grants.includes("authorization_code"))
    refuseField("invalid_client_metadata", "grant_types", "must have authorization_code");
  const name = client_name?.trim() || UNNAMED;
  const id = newId();
  const refreshes = grants.includes("refresh_token");
  await context.transaction(async ({ tx, record }) => {
    await store.insertClient(tx, { id, name, verified: false, redirectUris: redirect_uris, scopes, refreshes });
    record(oauthClientRegistered({ kind: "oauth_client", id }));
  });
  return {
    client_id: id,
    client_name: name,
    redirect_uris,
    token_endpoint_auth_method: "none" as const,
    application_type: "native" as const,
    grant_types: grants,
    response_types: ["code" as const],
    scope: scopes.join(" "),
  };
});

export const authorizeMcpClient = implementWithEffects(contract.authorizeMcpClient, open(), (context, { query }) =>
  authorize(context, "mcp", contract.authorizeMcpClient, query),
);

export const createMcpToken = implementWithEffects(contract.createMcpToken, open(), (context, { body }) =>
  exchange(context, "mcp", body),
);

export const revokeMcpToken = implementWithEffects(contract.revokeMcpToken, open(), async (context, { body }) => {
  const { token, client_id } = withValues(body);
  if (token === undefined) return refuseField("invalid_request", "token", "must be given");
  if (client_id === undefined) return refuse("invalid_client");
  const kind = secretKind(token);
  if (kind !== "mat" && kind !== "mrt") return;
  const found = await context.read((tx) => store.mcpTokenOf(tx, kind, token));
  if (!found) return;
  if (found.client_id !== null && found.client_id !== client_id) refuse("unauthorized_client");
  await context.transaction(async (transaction) => {
    transaction.actAs(found.user_id);
    if (found.grant_id !== null) return revoke(transaction, found.grant_id);
    await store.revokeCredential(transaction.tx, found.id);
    transaction.record(mcpTokenRevoked({ kind: "mcp_token", id: found.id }));
  });
});

export const exchangeMcpToken = implement(
  contract.exchangeMcpToken,
  workspace("workspace:read"),
  async ({ tx, principal, record }, { body }) => {
    const { scopes } = body;
    if (body.workspace_id !== principal.workspaceId) return refuse("workspace_access_denied");
    const [id, token] = [newId(), newSecret(families.mcp.access)];
    const [exchanged, letIn] = await Promise.all([
      store.insertExchanged(tx, principal.credentialId, { id, hash: sha256(token), scopes }),
      store.workspaceLetsAiIn(tx, body.workspace_id),
    ]);
    if (!letIn) return refuse("ai_access_disabled");
    if (!exchanged) return refuse("insufficient_scope", { required_scopes: scopes });
    record(mcpTokenExchanged({ kind: "mcp_token", id }, { scopes, parent_id: principal.credentialId }));
    return { access_token: token, token_type: "Bearer" as const, ...exchanged, scope: scopes.join(" ") };
  },
);
