// Authenticates a request: resolves principal, credential state and membership in one indexed query. Nothing is cached,
// so a revocation holds for the next request on every instance. The same query stores the caller in settings of the
// connection: row-level security and the statements of the same batch depend on them.
import type { AnyOperation, Credential } from "@svc/contract/kit.ts";
import { scopeOf } from "@svc/contract/kit.ts";
import type { Queries } from "../database/db.ts";
import { INTERFACE, LIVE, type Lookup } from "../database/principal.ts";
import type { CredentialKind, Presented } from "../wire/credential.ts";
import { Refusal } from "../wire/problem.ts";
import type { Claim, StoredAnswer } from "./ledger.ts";

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
  /** Id that stays the same while tokens rotate: that of the token's grant, or of the credential itself. */
  holderId: string;
  /** Account that the credential belongs to; null for a service. */
  accountId: string | null;
  /** The same id for operations that require a person; throws for a service. */
  readonly userId: string;
  /** The Workspace that the credential is scoped to, or that a native client names. */
  workspaceId: string | null;
  /** Membership in the Workspace of this request; null without a Workspace, or if the caller is no active member. */
  membership: Membership | null;
  /** Scopes of a token that has any; null if the credential may do all that its person may. */
  scopes: readonly string[] | null;
  /** Projects that a service is restricted to, as a PostgreSQL array literal; empty without a restriction. */
  projects: string;
  /** Name of the client program that acts for the caller; null for a browser or one of our own clients. */
  client: string | null;
  /** Whether the caller authenticated within the last 15 minutes. */
  recent: boolean;
  /** Start time of the transaction, by the database's clock, in wire format. */
  now: string;
  /** The raw session secret, for the CSRF token; empty for bearers. */
  secret: string;
}

/** Guards operations whose effect would outlive a stolen session: the owner must have authenticated recently. */
export function requireRecent(principal: Principal | null): void {
  if (!principal?.recent) throw new Refusal("recent_authentication_required");
}

/** Letters by which the specification names the credential kinds of the interface. */
const letters: Partial<Record<CredentialKind, Exclude<Credential, "P">>> = {
  session: "S",
  personal: "T",
  developer: "C",
  native: "M",
};

export const accepts = ({ auth }: AnyOperation, { kind }: Pick<Presented, "kind">) =>
  auth.some((letter) => letter === letters[kind]);

const called = { S: "a browser session", M: "a native token", T: "a personal API token", C: "a developer token" };
/** Refusal for a known caller whose credential kind the operation does not declare. */
export function wrongKind({ auth }: AnyOperation, { kind }: Presented): Refusal {
  const accepted = auth.flatMap((letter) => (letter === "P" ? [] : [called[letter]]));
  const pointer = kind === "session" ? "/headers/cookie" : "/headers/authorization";
  const detail = `is ${called[letters[kind] ?? "C"]}; this operation accepts ${accepted.join(" or ")}`;
  return new Refusal("credential_kind_not_allowed", { errors: [{ pointer, code: "not_allowed", detail }] });
}

/** Refusal for a credential that is unknown, expired or revoked. */
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
/** Whether the credential is valid, without its rights. */
export const isLive = async (tx: Queries, { hash, kind }: Presented): Promise<boolean> =>
  (await tx.maybe(IS_LIVE, [hash, kind])) !== undefined;

/** Terms on which another surface accepts a credential, instead of the kinds and scope that an operation declares. */
export interface Terms {
  presented: Presented;
  lookup: Lookup;
  /** Scopes of which one suffices. */
  scopes: readonly string[];
  /** Command whose stored answer a write replaces instead of replaying it. */
  replaces?: string;
  /** Throws for a valid credential that this surface does not accept. */
  admit(row: Record<string, unknown>): void;
}

export interface Reach {
  /** The Workspace named by the path or by X-Svc-Workspace-ID. */
  workspaceId: string | null;
  into: "public" | "account" | "anywhere" | "named" | "membership" | "own";
}

/** Scope of the caller's settings on the connection (until the next caller, or transaction-local), with any key. */
export interface Hold {
  local: boolean;
  claim: Claim | null;
}

/** Returns the caller and the response stored for the key, unless this write replaces that. */
export async function authenticate(
  tx: Queries,
  operation: AnyOperation,
  presented: Presented,
  reach: Reach,
  hold: Hold,
  touch: (id: string) => void,
  terms: Terms | null = null,
): Promise<{ principal: Principal; kept: StoredAnswer | null }> {
  const scope = scopeOf(operation);
  const scopes = terms ? terms.scopes : scope === null ? null : [scope];
  const { plain, keyed } = terms?.lookup ?? INTERFACE;
  const { local, claim } = hold;
  const values = [presented.hash, reach.workspaceId, reach.into, local];
  const row = claim
    ? await tx.one<PrincipalRow & Partial<StoredAnswer>>(keyed, [...values, claim.operation, claim.keyHash])
    : await tx.one<PrincipalRow & Partial<StoredAnswer>>(plain, values);
  // An unknown secret may have been rotated a moment ago: the browser may hold the new cookie, so do not clear it.
  if (row.kind !== presented.kind) throw unknownCredential(presented, row.ended);
  terms?.admit({ ...row });
  if (row.idle) touch(row.id);
  const principal = principalOf(row, presented, reach);
  if (scopes && !scopes.some((each) => hasScope(principal, each)))
    throw new Refusal("insufficient_scope", { required_scopes: [...scopes] });
  return { principal, kept: row.status && row.command_id !== claim?.replaces ? (row as StoredAnswer) : null };
}

/** Converts the database's text of a time to milliseconds in wire format. */
const wireTime = (text: string) =>
  `${text.slice(0, 10)}T${text.slice(11, -3).padEnd(9, ".").padEnd(12, "0").slice(0, 12)}Z`;

/** Sessions and native applications have no scopes and may do everything that their person may. */
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
