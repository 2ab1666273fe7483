// Wire representation of accounts, API tokens and sessions.
import * as contract from "@svc/contract/accounts/account/account.ts";
import { ApiToken } from "@svc/contract/accounts/account/api-tokens.ts";
import { McpGrant } from "@svc/contract/accounts/account/mcp-grants.ts";
import { MobileCredential } from "@svc/contract/accounts/account/mobile-credentials.ts";
import { Session } from "@svc/contract/accounts/account/sessions.ts";
import type { Capability } from "@svc/contract/capabilities.ts";
import { view } from "../../platform/database/view.ts";
import type { Principal, Role } from "../../platform/kernel/authentication.ts";
import { tellable } from "../../platform/kernel/capabilities.ts";
import type { Rendered } from "../../platform/kernel/implement-operation.ts";
import { extended, render } from "../../platform/kernel/view.ts";
import { openMemberships } from "./access.ts";
import { workspaceCapabilities } from "./rules.ts";

const accountView = view(contract.AccountRow, "u", {
  email_verified: "u.email_verified_at is not null",
  email_proved: "u.email_proved_at is not null",
  has_password: "u.password_hash is not null",
  has_picture: "u.picture_key is not null",
  interface_language: "coalesce(c.language, u.locale)",
  mfa_enabled: "u.mfa_enabled_at is not null",
  workspace_id: "coalesce(m.workspace_id, c.workspace_id)",
  membership_id: "m.id",
  actor_id: "m.actor_id",
  role: "m.role",
});

const selectAccount = (account: string, workspace: string) => `
select ${accountView} as json, u.revision::text, u.password_hash, u.mfa_enabled_at is not null as mfa_enabled, m.role,
  array_remove(array[
    case when not exists (select from free_claims f where f.user_id = u.id) then 'workspace:create' end,
    case when m.id is not null then 'api_token:create' end
  ], null) as capabilities
from users u
left join credentials c on c.id = current_credential() and c.user_id = u.id
left join (${openMemberships}) on m.user_id = u.id and m.workspace_id = ${workspace}
where u.id = ${account}`;
/** $1 is the account, $2 the Workspace of the session or the one to enter, or null. */
export const SELECT_ACCOUNT = selectAccount("$1", "$2::uuid");
/** The caller's own account in the connection's current Workspace. */
export const SELECT_OWN_ACCOUNT = selectAccount("current_account()", "current_workspace()");

export interface AccountRow {
  json: string;
  revision: string;
  password_hash: string | null;
  mfa_enabled: boolean;
  role: Role | null;
  capabilities: Capability[];
}
/** Renders the account. `principal` is null while the session is being created. */
export const accountAnswer = (row: AccountRow, principal: Principal | null): Rendered =>
  render(
    extended(row, {
      workspace_capabilities: row.role && tellable(workspaceCapabilities(row.role), principal),
    }),
    row.capabilities,
  );

/** SQL for the URL at which members of the given Workspace fetch the picture of user u. */
export const pictureUrl = (workspace: string) =>
  `case when u.picture_key is not null
    then '/api/v1/workspaces/' || ${workspace} || '/people/' || u.id || '/profile-picture/content' end`;

export const apiTokenView = view(ApiToken, "t");
export const mobileCredentialView = view(MobileCredential, "g", {
  expires_at: "wire_time(g.last_used_at + interval '60 days')",
});

export const sessionView = view(Session, "s", {
  current: "s.id = current_credential()",
  address_prefix: "network(set_masklen(s.address, case family(s.address) when 4 then 24 else 48 end))::text",
  last_used_at: "wire_time(coalesce(s.last_used_at, s.created_at))",
});
/** The query must join the Workspace as w. */
export const grantView = view(McpGrant, "g", { workspace_name: "w.name" });
