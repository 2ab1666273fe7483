// SQL of the credentials of installations and of their state. A token refresh holds a lease and no lock, because it
// calls the provider.
import type { Queries } from "../../../platform/database/db.ts";
import { processId } from "../../../platform/wire/process-id.ts";
import type { InstallationState } from "../rules.ts";

export interface InstallationCredential {
  id: string;
  provider_key: string;
  base_url: string;
  external_id: string;
  account_name: string;
  actor_id: string;
  state: InstallationState;
  removed: boolean;
  sealed_credential: string | null;
  sealed_secret: string | null;
  /** Whether its tokens expire within a minute or have expired. */
  ends: boolean;
}
const HELD = `
select id, provider_key, base_url, external_id, account_name, actor_id, state, removed_at is not null as removed,
  sealed_credential, sealed_secret,
  (credential_expires_at < now() + interval '60 seconds') is true as ends
from integration_installations where workspace_id = current_workspace() and id = $1`;
export const heldInstallation = (tx: Queries, id: string) => tx.maybe<InstallationCredential>(HELD, [id]);

const AS_READ = "workspace_id = current_workspace() and id = $1 and sealed_credential = $2";
const TAKE = `
update integration_installations set refreshing_until = now() + interval '30 seconds', refreshing_process = $3
where ${AS_READ} and (refreshing_until is null or refreshing_until < now()) returning 1`;
/**
 * Claims the lease to refresh the tokens; false if another process holds it, or the credential has changed since it was
 * read.
 */
export const takeRefresh = async (tx: Queries, id: string, sealed: string) =>
  (await tx.maybe(TAKE, [id, sealed, processId])) !== undefined;
const RENEW = `
update integration_installations
  set sealed_credential = $3, credential_expires_at = $4, refreshing_until = null, refreshing_process = null where ${AS_READ}`;
/** Has no effect if the installation was reconnected meanwhile. */
export const keepTokens = (tx: Queries, id: string, before: string, sealed: string, expiresAt: string | null) =>
  tx.rows(RENEW, [id, before, sealed, expiresAt]);
const RELEASE = `update integration_installations set refreshing_until = null, refreshing_process = null
  where ${AS_READ}`;
export const releaseRefresh = (tx: Queries, id: string, sealed: string) => tx.rows(RELEASE, [id, sealed]);

const NOTE = `
update integration_installations
  set state = $2, error_code = $3, checked_at = case when $2 = 'active' then now() else checked_at end,
  sealed_credential = case when $2 <> 'revoked' then sealed_credential end,
  revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1 and removed_at is null
  and (state, error_code) is distinct from ($2, $3) and (state <> 'revoked' or $2 = 'revoked')
returning actor_id`;
const CHECKED = `
update integration_installations set checked_at = now()
where workspace_id = current_workspace() and id = $1 and state = 'active'
  and (checked_at is null or checked_at < now() - interval '1 minute')`;
/**
 * Returns the Actor of the installation if its state has changed. A revoked one stays revoked until it is connected
 * again.
 */
export const noteState = (tx: Queries, id: string, state: InstallationState, error: string | null) =>
  tx.maybe<{ actor_id: string }>(NOTE, [id, state, error]);
export const noteChecked = (tx: Queries, id: string) => tx.rows(CHECKED, [id]);

const NOTE_RESOURCE = `
update integration_resources set error_code = $2, revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1 and error_code is distinct from $2`;
export const noteResource = (tx: Queries, id: string, error: string | null) => tx.rows(NOTE_RESOURCE, [id, error]);

const FORGET = `
update integration_installations
  set sealed_credential = null, sealed_secret = null, credential_expires_at = null, refreshing_until = null,
    refreshing_process = null
where workspace_id = current_workspace() and id = $1 and removed_at is not null`;
/** Deletes the credential of a removed installation. */
export const forgetCredential = (tx: Queries, id: string) => tx.rows(FORGET, [id]);
