// Who is calling: reads the credential from the headers, then resolves principal, credential state and membership in one indexed
// query. Nothing is cached, so a revocation holds for the next request on every instance. The same query sets on the connection who is
// calling: row-level security compares with it, and the statements that go out together with it ask for it.
import type { IncomingMessage } from "node:http";
import type { AnyOperation, Credential } from "@svc/contract/kit.ts";
import { scopeOf } from "@svc/contract/kit.ts";
import type { Queries } from "../database/db.ts";
import { CSRF_COOKIE, readCookies, SESSION_COOKIE } from "../wire/cookies.ts";
import { csrfTokenOf, NIL, type SecretKind, sameText, secretKind, sha256 } from "../wire/ids.ts";
import { Refusal } from "../wire/problem.ts";
import type { Claim, Kept } from "./ledger.ts";

export type Role = "owner" | "admin" | "member" | "viewer";
export interface Membership {
  workspaceId: string;
  membershipId: string;
  actorId: string;
  role: Role;
}
export interface Principal {
  kind: CredentialKind;
  credentialId: string;
  /** What it is called by while tokens come and go: the grant that a token was given under, or the credential itself. */
  holderId: string;
  userId: string;
  /** The Workspace that the credential is scoped to, or that a native client names. */
  workspaceId: string | null;
  /** In the Workspace of this request; null where there is none or the caller is no active member. */
  membership: Membership | null;
  /** Of a token that has some; null where the credential may do all that its person may. */
  scopes: readonly string[] | null;
  /** Authenticated within the last 15 minutes. */
  recent: boolean;
  /** When the transaction began, by the database's clock, as the wire shows it. */
  now: string;
  /** The raw session secret, for the CSRF token; empty for bearers. */
  secret: string;
}

/** For what would outlive a session that somebody has stolen: its owner has just proved to be in front of it. */
export function requireRecent(principal: Principal | null): void {
  if (!principal?.recent) throw new Refusal("recent_authentication_required");
}

type CredentialKind = "session" | "personal" | "developer" | "native";
export const letters: Record<CredentialKind, Exclude<Credential, "P">> = {
  session: "S",
  personal: "T",
  developer: "C",
  native: "M",
};
const kinds: Partial<Record<SecretKind, CredentialKind>> = {
  ses: "session",
  pat: "personal",
  dat: "developer",
  nat: "native",
};

/** A credential as presented: well-formed, not yet looked up. */
export interface Presented {
  kind: CredentialKind;
  secret: string;
  hash: Buffer;
}

/** A bearer, even a bad one, outranks the cookie. Undefined: none was sent. */
export function presentedCredential(request: IncomingMessage): Presented | undefined {
  if (request.headers.authorization !== undefined) {
    // headers keeps the first of several and hides the others.
    const [sent = "", ...others] = request.headersDistinct.authorization ?? [];
    const match = others.length === 0 ? /^Bearer +(\S+)$/i.exec(sent) : null;
    const kind = match ? kinds[secretKind(match[1] as string) ?? "inv"] : undefined;
    if (!match || kind === undefined || kind === "session") throw new Refusal("invalid_token");
    return { kind, secret: match[1] as string, hash: sha256(match[1] as string) };
  }
  const cookies = readCookies(request, SESSION_COOKIE);
  if (cookies.length === 0) return undefined;
  const secret = cookies[0] as string;
  if (cookies.length > 1 || secretKind(secret) !== "ses") throw new Refusal("authentication_required", {}, true);
  return { kind: "session", secret, hash: sha256(secret) };
}

export const accepts = ({ auth }: AnyOperation, { kind }: Presented) => auth.includes(letters[kind]);

const called = { S: "a browser session", M: "a native token", T: "a personal API token", C: "a developer token" };
/** For somebody who is known, and came with a kind of credential that the operation does not declare. */
export function wrongKind({ auth }: AnyOperation, { kind }: Presented): Refusal {
  const accepted = auth.flatMap((letter) => (letter === "P" ? [] : [called[letter]]));
  const pointer = kind === "session" ? "/headers/cookie" : "/headers/authorization";
  const detail = `is ${called[letters[kind]]}; this operation accepts ${accepted.join(" or ")}`;
  return new Refusal("credential_kind_not_allowed", { errors: [{ pointer, code: "not_allowed", detail }] });
}

/** For a credential that is unknown, expired or revoked. */
export const unknownCredential = ({ kind }: Presented, ended = false) =>
  kind === "session" ? new Refusal("authentication_required", {}, ended) : new Refusal("invalid_token");

/** The token is derived from the session's own secret. */
export function hasCsrfToken(request: IncomingMessage, presented: Presented): boolean {
  // Sent twice, the two are joined and match nothing.
  const sent = request.headers["x-csrf-token"];
  const cookies = readCookies(request, CSRF_COOKIE);
  const expected = csrfTokenOf(presented.secret);
  const matches = typeof sent === "string" && sameText(sent, expected);
  return matches && cookies.every((cookie) => sameText(cookie, expected));
}

interface PrincipalRow {
  id: string;
  holder_id: string;
  kind: CredentialKind;
  user_id: string;
  workspace_id: string | null;
  scopes: string[];
  recent: boolean;
  idle: boolean;
  now: string;
  ended: boolean;
  member_workspace_id: string | null;
  membership_id: string;
  actor_id: string;
  role: Role;
}

const LIVE = `c.secret_hash = $1 and c.revoked_at is null and c.expires_at > now()
  and (c.kind <> 'session' or coalesce(c.last_used_at, c.created_at) > now() - interval '7 days')`;

const IS_LIVE = `select from credentials c where ${LIVE} and c.kind = $2`;
/** Whether it would let somebody in, and nothing else. */
export const isLive = async (tx: Queries, { hash, kind }: Presented): Promise<boolean> =>
  (await tx.maybe(IS_LIVE, [hash, kind])) !== undefined;

// $2 the Workspace the request names, $3 how far the operation reaches (see Access), $4 whether what is set holds for the
// transaction only. Always one row, so that the connection never keeps who used it before.
// With a key ($5 the operation, $6 its hash) what it was kept with comes along. It is joined to what was set, so that row-level
// security already compares with the caller.
const principalSql = (keyed: boolean) => `
select c.id, coalesce(c.grant_id, c.id) as holder_id, c.kind, c.user_id, c.workspace_id, c.scopes,
  c.authenticated_at > now() - interval '15 minutes' as recent,
  coalesce(c.last_used_at, c.created_at) < now() - interval '5 minutes' as idle, now()::text as now,
  c.id is null and exists (select from credentials e where e.secret_hash = $1) as ended,
  m.workspace_id as member_workspace_id, m.id as membership_id, m.actor_id, m.role, caller.known
  ${keyed ? ", k.fingerprint, k.status, k.etag, k.body, k.command_id" : ""}
from (select) request
left join credentials c on ${LIVE}
left join (memberships m join workspaces w on w.id = m.workspace_id and (w.archived_at is null or $3 = 'own' and m.role = 'owner'))
  on $3 in ('membership', 'named', 'own', 'anywhere') and m.user_id = c.user_id and m.state = 'active'
  and m.workspace_id = case when $3 = 'anywhere' then coalesce(c.workspace_id, $2::uuid) else coalesce($2::uuid, c.workspace_id) end
  and (c.workspace_id is null or c.workspace_id = m.workspace_id or $3 = 'own')
cross join lateral (select
  set_config('svc.workspace', case when m.id is null then '${NIL}' else m.workspace_id::text end, $4::boolean) as workspace,
  (set_config('svc.actor', case when m.id is null then '' else m.actor_id::text end, $4::boolean)
    || set_config('svc.role', case when m.id is null then '' else m.role end, $4::boolean)
    || set_config('svc.account', case when c.id is null then '' else c.user_id::text end, $4::boolean)
    || set_config('svc.credential', case when c.id is null then '' else c.id::text end, $4::boolean)) is null as known) caller
${
  keyed
    ? `left join idempotency_keys k on k.workspace_id = caller.workspace::uuid
  and k.principal_id = case when m.id is null then c.user_id else m.actor_id end and k.operation = $5 and k.key_hash = $6`
    : ""
}`;
const PRINCIPAL = principalSql(false);
const PRINCIPAL_AND_KEY = principalSql(true);

export interface Reach {
  /** The Workspace named by the path or by X-Svc-Workspace-ID. */
  workspaceId: string | null;
  into: "public" | "account" | "anywhere" | "named" | "membership" | "own";
}

/** How long the connection knows who is calling: until somebody else calls, or for a transaction. Either may have a key. */
export interface Hold {
  local: boolean;
  claim: Claim | null;
}

/** The caller, and what the key was kept with, if it was. */
export async function authenticate(
  tx: Queries,
  operation: AnyOperation,
  presented: Presented,
  reach: Reach,
  hold: Hold,
  touch: (id: string) => void,
): Promise<{ principal: Principal; kept: Kept | null }> {
  const scope = scopeOf(operation);
  const { local, claim } = hold;
  const values = [presented.hash, reach.workspaceId, reach.into, local];
  const row = claim
    ? await tx.one<PrincipalRow & Partial<Kept>>(PRINCIPAL_AND_KEY, [...values, claim.operation, claim.keyHash])
    : await tx.one<PrincipalRow & Partial<Kept>>(PRINCIPAL, values);
  // A secret that nobody has was rotated away a moment ago: the browser may hold the new one by now, which it must keep.
  if (row.kind !== presented.kind) throw unknownCredential(presented, row.ended);
  if (row.idle) touch(row.id);
  const principal = principalOf(row, presented, reach);
  if (scope !== null && !hasScope(principal, scope))
    throw new Refusal("insufficient_scope", { required_scopes: [scope] });
  return { principal, kept: row.status ? (row as Kept) : null };
}

/** The database's text of a time, in milliseconds as the wire shows it. */
const wireTime = (text: string) =>
  `${text.slice(0, 10)}T${text.slice(11, -3).padEnd(9, ".").padEnd(12, "0").slice(0, 12)}Z`;

/** Sessions and native applications act for their person in everything. */
export const hasScope = ({ scopes }: Principal, scope: string) => scopes === null || scopes.includes(scope);

function principalOf(row: PrincipalRow, presented: Presented, reach: Reach): Principal {
  return {
    kind: row.kind,
    credentialId: row.id,
    holderId: row.holder_id,
    userId: row.user_id,
    workspaceId: row.workspace_id ?? (row.kind === "native" ? reach.workspaceId : null),
    membership: row.member_workspace_id
      ? { workspaceId: row.member_workspace_id, membershipId: row.membership_id, actorId: row.actor_id, role: row.role }
      : null,
    scopes: row.kind === "personal" || row.kind === "developer" ? row.scopes : null,
    recent: row.recent,
    now: wireTime(row.now),
    secret: presented.kind === "session" ? presented.secret : "",
  };
}
