// Events of OAuth clients and grants.
import { event } from "../../platform/kernel/events.ts";

export const oauthClientRegistered = event("oauth_client.registered");
export const oauthGranted = event("oauth_grant.created");
export const oauthGrantRedeemed = event("oauth_grant.redeemed");
export const oauthGrantRefreshed = event("oauth_grant.refreshed");
export const oauthGrantMoved = event("oauth_grant.workspace_changed");
export const oauthGrantRevoked = event("oauth_grant.revoked");
/** A code or refresh token was used twice: somebody else has a copy. */
export const oauthGrantReplayed = event("oauth_grant.replayed");
export const mcpTokenExchanged = event("mcp_token.exchanged");
export const mcpTokenRevoked = event("mcp_token.revoked");
