// Who is calling: resolves principal, credential state and membership in one indexed query. Nothing is cached, so a revocation holds for the next request on every instance. The same query sets on the connection who is
// calling: row-level security compares with it, and the statements that go out together with it ask for it.
import type { AnyOperation, Credential } from "@svc/contract/kit.ts";
import { scopeOf } from "@svc/contract/kit.ts";
import type { Queries } from "../database/db.ts";
import { INTERFACE, LIVE, type Lookup } from "../database/principal.ts";
import type { CredentialKind, Presented } from "../wire/credential.ts";
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
  /** Whose account it is; nobody's, for a service. */
  accountId: string | null;
  /** The same for whatever needs a person: it refuses a service. */
  readonly userId: string;
  /** The Workspace that the credential is scoped to, or that a native client names. */
  workspaceId: string | null;
  /** In the Workspace of this request; null where there is none or the caller is no active member. */
  membership: Membership | null;
  /** Of a token that has some; null where the credential may do all that its person may. */
  scopes: readonly string[] | null;
  /** The Projects that a service is narrowed to, as the database writes an array; empty where it is not. */
  projects: string;
  /** The name of the program that acts for the caller, where it is neither a browser nor one of ours. */
  client: string | null;
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

/** What the specification calls those of the interface. */
const letters: Partial<Record<CredentialKind, Exclude<Credential, "P">>> = {
  session: "S",
  personal: "T",
  developer: "C",
  native: "M",
};

export const accepts = ({ auth }: AnyOperation, { kind }: Pick<Presented, "kind">) =>
  auth.some((letter) => letter === letters[kind]);

const called = { S: "a browser session", M: "a native token", T: "a personal API token", C: "a developer token" };
/** For somebody who is known, and came with a kind of credential that the operation does not declare. */
export function wrongKind({ auth }: AnyOperation, { kind }: Presented): Refusal {
  const accepted = auth.flatMap((letter) => (letter === "P" ? [] : [called[letter]]));
  const pointer = kind === "session" ? "/headers/cookie" : "/headers/authorization";
  const detail = `is ${called[letters[kind] ?? "C"]}; this operation accepts ${accepted.join(" or ")}`;
  return new Refusal("credential_kind_not_allowed", { errors: [{ pointer, code: "not_allowed", detail }] });
}

/** For a credential that is unknown, expired or revoked. */
export const unknownCredential = ({ kind }: Presented, ended = false) =>
  kind === "session" ? new Refusal("authentication_required", {}, ended) : new Refusal("invalid_token");

interface PrincipalRow {
  id: string;
  holder_id: string;
  kind: CredentialKind;
  user_id: string | null;
  workspace_id: string | null;
  scopes: string[];
  projects: string;
  client?: string;
  recent: boolean;
  idle: boolean;
  now: string;
  ended: boolean;
  member_workspace_id: string | null;
  membership_id: string;
  actor_id: string;
  role: Role;
}

const IS_LIVE = `select from credentials c where ${LIVE} and c.kind = $2`;
/** Whether it would let somebody in, and nothing else. */
export const isLive = async (tx: Queries, { hash, kind }: Presented): Promise<boolean> =>
  (await tx.maybe(IS_LIVE, [hash, kind])) !== undefined;

/** On what terms a credential is good at a surface of its own, in place of the kinds and the scope that an operation declares. */
export interface Terms {
  presented: Presented;
  lookup: Lookup;
  /** Any of these is enough. */
  scopes: readonly string[];
  /** Command whose stored answer a write replaces instead of replaying it. */
  replaces?: string;
  /** Refuses one that was found and is not good there. */
  admit(row: Record<string, unknown>): void;
}

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

/** Returns the caller, and the answer that is stored for the key unless this write replaces it. */
export async function authenticate(
  tx: Queries,
  operation: AnyOperation,
  presented: Presented,
  reach: Reach,
  hold: Hold,
  touch: (id: string) => void,
  terms: Terms | null = null,
): Promise<{ principal: Principal; kept: Kept | null }> {
  const scope = scopeOf(operation);
  const scopes = terms ? terms.scopes : scope === null ? null : [scope];
  const { plain, keyed } = terms?.lookup ?? INTERFACE;
  const { local, claim } = hold;
  const values = [presented.hash, reach.workspaceId, reach.into, local];
  const row = claim
    ? await tx.one<PrincipalRow & Partial<Kept>>(keyed, [...values, claim.operation, claim.keyHash])
    : await tx.one<PrincipalRow & Partial<Kept>>(plain, values);
  // A secret that nobody has was rotated away a moment ago: the browser may hold the new one by now, which it must keep.
  if (row.kind !== presented.kind) throw unknownCredential(presented, row.ended);
  terms?.admit({ ...row });
  if (row.idle) touch(row.id);
  const principal = principalOf(row, presented, reach);
  if (scopes && !scopes.some((each) => hasScope(principal, each)))
    throw new Refusal("insufficient_scope", { required_scopes: [...scopes] });
  return { principal, kept: row.status && row.command_id !== claim?.replaces ? (row as Kept) : null };
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
    accountId: row.user_id,
    get userId() {
      if (row.user_id === null) throw new Refusal("forbidden");
      return row.user_id;
    },
    workspaceId: row.workspace_id ?? (row.kind === "native" ? reach.workspaceId : null),
    membership: row.member_workspace_id
      ? { workspaceId: row.member_workspace_id, membershipId: row.membership_id, actorId: row.actor_id, role: row.role }
      : null,
    scopes: row.kind === "session" || row.kind === "native" ? null : row.scopes,
    projects: row.projects,
    client: row.client ?? null,
    recent: row.recent,
    now: wireTime(row.now),
    secret: presented.kind === "session" ? presented.secret : "",
  };
}
