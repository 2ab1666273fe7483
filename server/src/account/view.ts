// Accounts and API tokens on the wire.
import { Account } from "@svc/contract/account/account.ts";
import { ApiToken } from "@svc/contract/account/api-tokens.ts";
import { view } from "../kernel/view.ts";
import { openMemberships } from "./access.ts";

const accountView = view(Account, "u", {
  email_verified: "u.email_verified_at is not null",
  has_password: "u.password_hash is not null",
  mfa_enabled: "u.mfa_enabled_at is not null",
  workspace_id: "$2::uuid",
});

/** $1 the account, $2 the Workspace of the session or null. */
export const SELECT_ACCOUNT = `
select ${accountView} as json, u.revision::text, u.password_hash,
  array_remove(array[
    case when not exists (
      select from workspaces w where w.created_by_user_id = u.id and w.plan = 'free' and w.archived_at is null
    ) then 'workspace:create' end,
    case when exists (
      select from ${openMemberships} where m.user_id = u.id and m.workspace_id = $2
    ) then 'api_tokens:create' end
  ], null) as capabilities
from users u where u.id = $1`;

export interface AccountRow {
  json: string;
  revision: string;
  password_hash: string | null;
  capabilities: string[];
}

export const apiTokenView = view(ApiToken, "t");
