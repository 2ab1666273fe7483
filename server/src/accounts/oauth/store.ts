// SQL of OAuth grants, codes, refresh tokens and access tokens. One conditional UPDATE consumes a single-use secret and
// issues its tokens. Issuing and revoking lock the grant row first.
import { openMemberships } from "../account/access.ts";

import { holdWorkspace } from "../account/store.ts";

export { revokeGrant } from "../account/store.ts";

import type { Queries } from "../../platform/database/db.ts";
import { LIVE, lookup } from "../../platform/database/principal.ts";
import type { Role, Terms } from "../../platform/kernel/authentication.ts";
import type { Presented } from "../../platform/wire/credential.ts";
import { NIL, newId, newSecret, sha256 } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { letsAiIn } from "../workspaces/access.ts";
import { type Client, type ClientFamily, families } from "./rules.ts";

/** MCP clients are external AI and subject to the Workspace's AI access policy; other families are not. */
const letIn = (family: string, workspaceId: string) => `(${family} <> 'mcp' or ${letsAiIn(workspaceId)})`;

/**
 * The person can still enter the grant's Workspace, and the Workspace admits this family; a grant without a Workspace
 * is usable wherever its person is a member. An unusable grant consumes no code or token: these work again once it is
 * usable.
 */
const usable = `(g.workspace_id is null or exists (
  select from ${openMemberships} where m.user_id = g.user_id and m.workspace_id = g.workspace_id)
    and ${letIn("g.family", "g.workspace_id")})`;

export interface NewGrant {
  id: string;
  family: ClientFamily;
  clientId: string;
  clientName: string;
  userId: string;
  workspaceId: string | null;
  scopes: readonly string[];
  resource: string;
  refreshes: boolean;
  deviceName?: string | null;
  /** Absent if tokens are issued immediately. */
  code?: { hash: Buffer; redirectUri: string; challenge: string };
}
// Two statements, so that the second sees changes committed while the first waited.
const HOLD_ACCOUNT = "select from users where id = $1 for share";
const SIGNED_IN = "select from credentials where id = $1 and revoked_at is null and expires_at > now()";
/**
 * Serializes with a password reset, which revokes every session and grant: a grant is either created before it and
 * revoked with the rest, or not created.
 */
export async function stillSignedIn(tx: Queries, userId: string, credentialId: string | null): Promise<boolean> {
  const [, found] = await Promise.all([tx.rows(HOLD_ACCOUNT, [userId]), tx.rows(SIGNED_IN, [credentialId])]);
  return found.length > 0;
}

// A client that was removed during consent gets no grant. The client row is locked: either a removal sees the grant, or
// the grant sees the removal.
const INSERT_GRANT = `
with client as (select id from oauth_clients where id = $3 for key share
), place as (select m.workspace_id from ${openMemberships}
  where m.user_id = $5 and m.workspace_id = $6 and ${letIn("$2", "$6")}
), g as (
  insert into oauth_grants (id, family, client_id, client_name, user_id, workspace_id, scopes, resource, refreshes,
    device_name)
  select $1, $2, $3, $4, $5, $6::uuid, $7, $8, $9, $10 where ($6::uuid is null or exists (select from place))
    and ($2 <> 'mcp' or $3 like 'https://%' or exists (select from client))
  on conflict (id) do nothing returning id
), c as (
  insert into oauth_codes (code_hash, grant_id, redirect_uri, code_challenge, expires_at)
  select $11, g.id, $12, $13, now() + interval '5 minutes' from g where $11::bytea is not null
)
select exists (select from g) as granted, $6::uuid is null or exists (select from place) as entered`;
/**
 * `granted` is false if this grant exists already or its client was removed; `entered` is false if the Workspace is not
 * open to the person.
 */
export async function insertGrant(tx: Queries, grant: NewGrant) {
  const { id, family, clientId, clientName, userId, workspaceId, scopes, resource, refreshes, deviceName, code } =
    grant;
  const who = [id, family, clientId, clientName, userId, workspaceId, scopes, resource, refreshes, deviceName ?? null];
  const values = [...who, code?.hash ?? null, code?.redirectUri ?? null, code?.challenge ?? null];
  const [, made] = await Promise.all([
    holdWorkspace(tx, workspaceId),
    tx.one<{ granted: boolean; entered: boolean }>(INSERT_GRANT, values),
  ]);
  return made;
}

export interface Issued {
  grantId: string;
  userId: string;
  workspaceId: string | null;
  access: string;
  refresh: string | null;
  scopes: string[];
}
interface IssuedRow {
  id: string;
  user_id: string;
  workspace_id: string | null;
  refreshes: boolean;
  scopes: string[];
}
/** `source` selects the grant as grant_id; $1 to $6 are the new tokens, $7 is narrower scopes or null. */
const issuing = (source: string, change = "") => `
with source as (${source}
), g as (
  update oauth_grants g set last_used_at = now(), updated_at = now()${change}
  from source where g.id = source.grant_id and g.revoked_at is null returning g.*
), access as (
  insert into credentials (id, kind, secret_hash, user_id, workspace_id, scopes, name, last_four, grant_id, language,
    expires_at)
  select $1, g.family, $2, g.user_id, g.workspace_id, coalesce($7::text[], g.scopes), g.client_name, $3, g.id,
    (select c.language from credentials c where c.grant_id = g.id order by c.id desc limit 1),
    now() + make_interval(secs => $4)
  from g
), refresh as (
  insert into oauth_refresh_tokens (token_hash, grant_id, expires_at)
  select $5, g.id, now() + make_interval(secs => $6) from g where g.refreshes
)
select g.id, g.user_id, g.workspace_id, g.refreshes, coalesce($7::text[], g.scopes) as scopes from g`;

async function issue(tx: Queries, sql: string, family: ClientFamily, scopes: string[] | null, values: unknown[]) {
  const { access, refresh, accessSeconds, refreshSeconds } = families[family];
  const [accessToken, refreshToken] = [newSecret(access), newSecret(refresh)];
  const tokens = [
    newId(),
    sha256(accessToken),
    accessToken.slice(-4),
    accessSeconds,
    sha256(refreshToken),
    refreshSeconds,
  ];
  const row = await tx.maybe<IssuedRow>(sql, [...tokens, scopes, ...values]);
  if (!row) return undefined;
  const issued: Issued = {
    grantId: row.id,
    userId: row.user_id,
    workspaceId: row.workspace_id,
    access: accessToken,
    refresh: row.refreshes ? refreshToken : null,
    scopes: row.scopes,
  };
  return issued;
}

const ISSUE = issuing("select $8::uuid as grant_id");
/** Issues tokens of a grant without a code, in the transaction that created it. */
export const issueTokens = (tx: Queries, family: ClientFamily, grantId: string) =>
  issue(tx, ISSUE, family, null, [grantId]);

// ---- codes
// -------------------------------------------------------------------------------------------------------------------------

export interface CodeRow {
  family: ClientFamily;
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
}
const CODE = `
select g.family, g.client_id, c.redirect_uri, c.code_challenge
from oauth_codes c join oauth_grants g on g.id = c.grant_id where c.code_hash = $1`;
export const codeOf = (tx: Queries, code: string) => tx.maybe<CodeRow>(CODE, [sha256(code)]);

const REDEEM = issuing(`
  update oauth_codes c set used_at = now() from oauth_grants g
  where c.code_hash = $8 and c.used_at is null and c.expires_at > now()
    and g.id = c.grant_id and g.revoked_at is null and ${usable} returning c.grant_id`);
export const redeemCode = (tx: Queries, family: ClientFamily, code: string) =>
  issue(tx, REDEEM, family, null, [sha256(code)]);

const CODE_USED = "select grant_id from oauth_codes where code_hash = $1 and used_at is not null";
/** The grant of a code that was already used. */
export const grantOfUsedCode = (tx: Queries, code: string) => tx.maybe<{ grant_id: string }>(CODE_USED, [sha256(code)]);

// ---- refresh tokens
// ----------------------------------------------------------------------------------------------------------------

const ROTATE = issuing(`
  update oauth_refresh_tokens r set used_at = now() from oauth_grants g
  where r.token_hash = $8 and r.used_at is null and r.expires_at > now() and g.id = r.grant_id and g.revoked_at is null
    and g.family = $9 and g.client_id = $10 and ($7::text[] is null or $7::text[] <@ g.scopes) and ${usable}
      returning r.grant_id`);
/** The new access token may have fewer scopes; the grant's scopes do not change (RFC 6749, 6). */
export const rotate = (tx: Queries, family: ClientFamily, clientId: string, token: string, scopes: string[] | null) =>
  issue(tx, ROTATE, family, scopes, [sha256(token), family, clientId]);

const REFRESH_TOKEN = `
select g.id as grant_id, r.used_at is not null as used,
  r.used_at is null and r.expires_at > now() and g.revoked_at is null and ${usable} as live
from oauth_refresh_tokens r join oauth_grants g on g.id = r.grant_id
where r.token_hash = $1 and g.family = $2 and g.client_id = $3`;
/** State of a refresh token that could not be rotated; undefined if it was never issued to this client. */
export const refreshTokenOf = (tx: Queries, family: ClientFamily, clientId: string, token: string) =>
  tx.maybe<{ grant_id: string; used: boolean; live: boolean }>(REFRESH_TOKEN, [sha256(token), family, clientId]);

// ---- clients that have registered
// --------------------------------------------------------------------------------------------------

interface ClientRow {
  id: string;
  name: string;
  redirect_uris: string[];
  scopes: string[];
  refreshes: boolean;
  reviewed: boolean;
}
const REGISTERED = `select id, name, redirect_uris, scopes, refreshes, reviewed_at is not null as reviewed from oauth_clients
    where id = $1`;
export async function registeredClient(tx: Queries, id: string): Promise<Client | undefined> {
  const row = await tx.maybe<ClientRow>(REGISTERED, [id]);
  if (!row) return undefined;
  const { name, redirect_uris, scopes, refreshes, reviewed } = row;
  return { id, name, verified: reviewed, redirectUris: redirect_uris, scopes, refreshes };
}

const INSERT_CLIENT =
  "insert into oauth_clients (id, name, redirect_uris, scopes, refreshes) values ($1, $2, $3, $4, $5)";
export const insertClient = (tx: Queries, { id, name, redirectUris, scopes, refreshes }: Client) =>
  tx.rows(INSERT_CLIENT, [id, name, redirectUris, scopes, refreshes]);

// ---- asking
// ------------------------------------------------------------------------------------------------------------------------

const OPEN_WORKSPACES = `
select w.id, w.name, w.slug, m.role from ${openMemberships} where m.user_id = $1 and ${letIn("$3::text", "w.id")}
order by (w.id is not distinct from $2::uuid) desc, w.id limit 100`;
export type OpenWorkspace = { id: string; name: string; slug: string; role: Role };
/** Workspaces that the person can open to a client of this family, the session's first. */
export const openWorkspaces = (tx: Queries, userId: string, first: string | null, family: ClientFamily) =>
  tx.rows<OpenWorkspace>(OPEN_WORKSPACES, [userId, first, family]);

// ---- credentials that act on themselves
// --------------------------------------------------------------------------------------------

const GRANT_OF = "select grant_id from credentials where id = $1";
export const grantOfCredential = async (tx: Queries, credentialId: string) =>
  (await tx.one<{ grant_id: string }>(GRANT_OF, [credentialId])).grant_id;

const LOCK_GRANT = `
select from oauth_grants g join credentials c on c.grant_id = g.id where c.id = $1 for no key update of g`;
const MOVE = `
with place as (select m.workspace_id from ${openMemberships} where m.user_id = $2 and m.workspace_id = $3
), live as (select grant_id from credentials where id = $1 and revoked_at is null
), moved as (
  update oauth_grants g set workspace_id = place.workspace_id, updated_at = now(), revision = revision + 1
  from place, live where g.id = live.grant_id and g.revoked_at is null returning g.id
)
select exists (select from live) as live, (select id from moved) as grant_id`;
/**
 * Moves the credential's grant to another Workspace of its person. A preceding statement locks the grant: of two
 * concurrent moves, the second sees that its credential was revoked. grant_id is null if the Workspace is not open.
 */
export async function moveGrant(tx: Queries, credentialId: string, userId: string, workspaceId: string) {
  const [, , moved] = await Promise.all([
    holdWorkspace(tx, workspaceId),
    tx.rows(LOCK_GRANT, [credentialId]),
    tx.one<{ live: boolean; grant_id: string | null }>(MOVE, [credentialId, userId, workspaceId]),
  ]);
  return moved;
}

const END_ACCESS =
  "update credentials set revoked_at = now(), updated_at = now() where grant_id = $1 and revoked_at is null";
const END_REFRESH = "update oauth_refresh_tokens set expires_at = now() where grant_id = $1 and used_at is null";
/** Revokes all tokens of a grant; the grant itself stays valid. */
export const endTokens = (tx: Queries, grantId: string) =>
  Promise.all([tx.rows(END_ACCESS, [grantId]), tx.rows(END_REFRESH, [grantId])]);

const EXCHANGE = `
insert into credentials (id, kind, secret_hash, user_id, workspace_id, scopes, name, last_four, parent_id, expires_at)
select $2, 'mcp', $3, p.user_id, p.workspace_id, $4, p.name, p.last_four, p.id,
  least(p.expires_at, now() + interval '1 hour')
from credentials p where p.id = $1 and p.revoked_at is null and $4::text[] <@ p.scopes
returning floor(extract(epoch from expires_at - now()))::int as expires_in, wire_time(expires_at) as expires_at`;
/**
 * Issues an MCP token derived from another token, with a subset of its scopes; undefined if the parent lacks one of
 * them.
 */
export const insertExchanged = (tx: Queries, parentId: string, token: { id: string; hash: Buffer; scopes: string[] }) =>
  tx.maybe<{ expires_in: number; expires_at: string }>(EXCHANGE, [parentId, token.id, token.hash, token.scopes]);

const LETS_AI_IN = `select ${letsAiIn("$1")} as open`;
export const workspaceLetsAiIn = async (tx: Queries, workspaceId: string) =>
  (await tx.one<{ open: boolean }>(LETS_AI_IN, [workspaceId])).open;

// ---- MCP tokens
// --------------------------------------------------------------------------------------------------------------------

const MCP_ACCESS_TOKEN = `
select c.id, c.user_id, c.grant_id, g.client_id from credentials c left join oauth_grants g on g.id = c.grant_id
where c.secret_hash = $1 and c.kind = 'mcp' and c.revoked_at is null`;
const MCP_REFRESH_TOKEN = `
select g.id, g.user_id, g.id as grant_id, g.client_id from oauth_refresh_tokens r
join oauth_grants g on g.id = r.grant_id
where r.token_hash = $1 and g.family = 'mcp' and g.revoked_at is null`;
interface McpToken {
  id: string;
  user_id: string;
  /** Null for a token that was exchanged for another token. */
  grant_id: string | null;
  client_id: string | null;
}
export const mcpTokenOf = (tx: Queries, kind: "mat" | "mrt", token: string) =>
  tx.maybe<McpToken>(kind === "mat" ? MCP_ACCESS_TOKEN : MCP_REFRESH_TOKEN, [sha256(token)]);

const REVOKE_CREDENTIAL = "update credentials set revoked_at = now(), updated_at = now() where id = $1";
export const revokeCredential = (tx: Queries, id: string) => tx.rows(REVOKE_CREDENTIAL, [id]);

// A service credential acts for no person: it needs no membership, has the rights of a member, and has no grant or
// parent token.
const MCP_STANDING = `
left join credentials c on ${LIVE} and c.kind in ('mcp', 'service')
left join oauth_grants g on g.id = c.grant_id left join credentials f on f.id = c.parent_id
left join lateral (
  select w.id as workspace_id, w.slug, case when b.id is null then c.id else b.id end as id,
    case when b.id is null then c.actor_id else b.actor_id end as actor_id,
    case when b.id is null then 'member' else b.role end as role
  from workspaces w left join memberships b on b.workspace_id = w.id and b.user_id = c.user_id and b.state = 'active'
  where w.id = c.workspace_id and w.archived_at is null and ${letsAiIn("w.id")}
    and case when c.kind = 'service' then true when b.id is null then false
    when c.parent_id is null then g.revoked_at is null else f.revoked_at is null and f.expires_at > now() end
) m on $3::text <> 'public' and ($2::uuid is null or $2 in ('${NIL}', c.workspace_id))`;
const MCP_LOOKUP = lookup(
  MCP_STANDING,
  `, c.name as client, m.slug,
    case when g.id is null then null when g.resource is null then '' else g.resource end as audience,
    not ${letsAiIn("c.workspace_id")} as barred`,
);
/** Columns that decide whether an MCP credential is accepted at the resource. */
interface McpRow {
  slug: string | null;
  kind: "mcp" | "service";
  member_workspace_id: string | null;
  audience: string | null;
  barred: boolean;
}
/**
 * Admission of an MCP credential at this resource. It is refused once it, its grant, its parent token or the membership
 * has ended, and while the Workspace is archived. If the Workspace's policy excludes AI, the refusal says so. The
 * credential must have one of the scopes. `admitted` receives the slug of the Workspace.
 */
export const mcpTerms = (
  presented: Presented,
  resource: string,
  scopes: readonly string[],
  admitted: (slug: string) => void = () => {},
): Terms => ({
  presented,
  lookup: MCP_LOOKUP,
  scopes,
  admit(row) {
    const { member_workspace_id, audience, barred, slug } = row as unknown as McpRow;
    if (barred) refuse("ai_access_disabled");
    if (member_workspace_id === null || (audience ?? resource) !== resource) refuse("invalid_token");
    if (slug !== null) admitted(slug);
  },
});
