// Accounts, API tokens and sessions on the wire.
import { Account } from "@svc/contract/account/account.ts";
import { ApiToken } from "@svc/contract/account/api-tokens.ts";
import { McpGrant } from "@svc/contract/account/mcp-grants.ts";
import { MobileCredential } from "@svc/contract/account/mobile-credentials.ts";
import { Session } from "@svc/contract/account/sessions.ts";
import type { Capability } from "@svc/contract/capabilities.ts";
import { view } from "../kernel/view.ts";
import { openMemberships } from "./access.ts";

const accountView = view(Account, "u", {
  email_verified: "u.email_verified_at is not null",
  email_proved: "u.email_proved_at is not null",
  has_password: "u.password_hash is not null",
  has_picture: "u.picture_key is not null",
  interface_language:
    "coalesce((select c.language from credentials c where c.id = current_credential() and c.user_id = u.id), u.locale)",
  mfa_enabled: "u.mfa_enabled_at is not null",
  workspace_id: "$2::uuid",
});

/** $1 the account, $2 the Workspace of the session or null. */
export const SELECT_ACCOUNT = `
select ${accountView} as json, u.revision::text, u.password_hash, u.mfa_enabled_at is not null as mfa_enabled,
  array_remove(array[
    case when not exists (select from free_claims f where f.user_id = u.id) then 'workspace:create' end,
    case when exists (
      select from ${openMemberships} where m.user_id = u.id and m.workspace_id = $2
    ) then 'api_token:create' end
  ], null) as capabilities
from users u where u.id = $1`;

export interface AccountRow {
  json: string;
  revision: string;
  password_hash: string | null;
  mfa_enabled: boolean;
  capabilities: Capability[];
}

export const apiTokenView = view(ApiToken, "t");
export const mobileCredentialView = view(MobileCredential, "g", {
  expires_at: "wire_time(g.last_used_at + interval '60 days')",
});

export const sessionView = view(Session, "s", {
  current: "s.id = current_credential()",
  address_prefix: "network(set_masklen(s.address, case family(s.address) when 4 then 24 else 48 end))::text",
  last_used_at: "wire_time(coalesce(s.last_used_at, s.created_at))",
});
/** The Workspace is given as w. */
export const mcpGrantView = view(McpGrant, "g", { workspace_name: "w.name" });
