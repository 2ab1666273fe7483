// How a domain supplies an operation: the declaration, who may reach it, and the handler. Without an access rule it does not
// compile. A handler sees one transaction and nothing of HTTP; cross-cutting work belongs to the pipeline.

import type { IncomingMessage } from "node:http";
import type { Capability } from "@svc/contract/capabilities.ts";
import type { ErrorCode } from "@svc/contract/errors.ts";
import type { AnyOperation, Csv, Operation, RateClass, Redirect } from "@svc/contract/kit.ts";
import type { Queries } from "../database/db.ts";
import type { Place } from "../database/journal.ts";
import type { Letter, Outside } from "../outside/outside.ts";
import type { RunLimits } from "../settings/run-limits.ts";
import type { Client } from "../wire/client-address.ts";
import type { Browser } from "../wire/cookies.ts";
import type { Key } from "../wire/cursor.ts";
import type { Membership, Principal } from "./authenticate.ts";
import type { Fact } from "./events.ts";

/** JSON that PostgreSQL built and that passes through untouched: measured at a third of the cost of rows mapped in Node. */
export interface Rendered {
  json: string;
  revision?: string;
  /** What the caller may do with it; of these the answer tells those that its credential can call. */
  capabilities?: readonly Capability[];
  /** The work goes on in the background: 202, where the operation declares `accepted`. */
  accepted?: boolean;
}
/** One row of a list: its JSON and, as a JSON array, the sort key that the next page starts after. */
export interface ListRow {
  json: string;
  key: string;
  /** The page is full of text before it: it stands on the next one. */
  cut?: boolean;
}

/** A connection whose reads bring along what their rows name, and what that was, once they were read. */
export type Including = (
  tx: Queries,
  operation: AnyOperation,
  asked: readonly string[],
  limit: number,
) => { queries: Queries; included(): Record<string, unknown> };

/** A page; where the list decides itself whether there is more, with the key to go on after, and what stands beside the items. */
export type Listed = ListRow[] | { rows: ListRow[]; more: string | null; beside?: Record<string, unknown> };

export interface Context {
  readonly tx: Queries;
  /** Whether a language model is configured. */
  readonly hasModel: boolean;
  readonly runLimits: RunLimits;
  readonly principal: Principal;
  /** The caller's membership in the Workspace of this request; only where access reaches into one. */
  readonly member: Membership;
  /** The id of this write's audit row, which its events name: for those that a statement writes itself. */
  readonly commandId: string;
  readonly cookies: { set(secret: string, maxAge: number | null): void; clear(): void };
  /** The cursor with which this member goes on in another list, behind the row with this key; params and query as that list is sent them. */
  cursorIn(list: AnyOperation, params: Record<string, string>, query: Record<string, unknown>, key: string): string;
  /** The key in a cursor that was made so; refused where it is not. */
  openIn(list: AnyOperation, params: Record<string, string>, query: Record<string, unknown>, cursor: string): Key;
  /** A connection whose reads of such rows bring along what they name, of at most so many of them; and what that was. */
  bring(list: AnyOperation, names: readonly string[], limit: number): ReturnType<Including>;
  /** Where a read stands that is declared with baseline: "always". */
  place(): Place;
  /** The cursor with which this caller goes on from a place in the journal. */
  cursorAt(place: Place, scope: string, resourceId: string | null): string;
  /** In the first attempt of a write: ends it where there are ids. What people have typed in them is sealed before the second attempt. */
  requireSealed?(ids: readonly string[]): void;
  /** How another operation is implemented, to be performed within this one (perform.ts). */
  implementationOf(operation: AnyOperation): Implementation;
  record(fact: Fact): void;
  /** The next number of a Task of this Project. It is given out for good: a write that fails leaves a gap. */
  numberIn(projectId: string): Promise<bigint>;
  /**
   * A statement whose result the answer does not need: it goes out with the ledger and the commit, in their round-trip. The commit
   * fails when it fails.
   */
  defer(statement: Promise<unknown>): void;
  /**
   * Runs on another tenant within the same transaction, as this Actor of it: for the moment in which a Workspace or a membership
   * comes into being. What is recorded meanwhile is recorded there.
   */
  within<T>(there: { workspaceId: string; actorId: string | null }, work: () => Promise<T>): Promise<T>;
  /** Background work, enqueued by the same commit. */
  enqueue(job: string, payload: Record<string, unknown>): void;
  /** A letter that the answer does not wait for: sent once the commit has happened, and only then. */
  post(letter: Letter): void;
}

export type Permission = boolean | ErrorCode;
/** For something that only those read who may do this to it: for everybody else it does not exist, whether it does or not. */
export const unlessHidden = (permission: Permission, hidden = true): Permission =>
  permission === false && hidden ? "not_found" : permission;
export interface Access<Target> {
  /**
   * public: no credential. account: signed in. anywhere: the same, and in the credential's Workspace, or the one that a native client names,
   * where it is open to the caller. named: the same, but what the request names comes before the credential's own. membership: an active member of the Workspace that the
   * request is about, with a credential that is good in it. own: an active member of the Workspace in the path, whichever one the session is in; of an archived one only an owner.
   */
  reach: "public" | "account" | "anywhere" | "named" | "membership" | "own";
  /**
   * The row, through the resource's one visibility predicate and locked when it is to be changed; undefined is 404. Sent together
   * with the authentication, so its SQL asks current_workspace() and current_actor() who is calling.
   */
  load(tx: Queries, params: Record<string, string>, change: boolean): Promise<Target | undefined>;
  /**
   * The handler's own statement changes the row only at the revision that was loaded, and fails otherwise as a serialisation does, so that
   * the request is tried again. Where the caller names a revision the row is then not locked first, which is a third of its load.
   */
  guarded?: boolean;
  /** Whether the caller may do this to what it can already read; false is 403, a code is what it is refused with instead. */
  permits(context: Context, target: Target): Permission;
}

export type EffectsTransaction = Context & {
  /** Says for whom, where nobody is signed in yet. */
  actAs(userId: string): void;
  readonly client: Client;
};
/** A context that reaches outside a transaction and opens short ones of its own. */
export interface EffectsContext {
  readonly principal: Principal | null;
  readonly member: Context["member"];
  /**
   * Takes one request of this class for each subject that the operation knows (an account, an address), and refuses when there is none
   * left: a new session, another network or another process does not bring new attempts.
   */
  limit(name: RateClass, ...subjects: [string, ...string[]]): Promise<void>;
  /** Gives back what was taken for something that was no failure after all. */
  giveBack(name: RateClass, subject: string): Promise<void>;
  /** Where the request comes from: the client's address, or its /64 of IPv6. */
  readonly network: string;
  /** If-Match names a revision: what the transaction finds must still be what was loaded. */
  readonly namesRevision: boolean;
  /** Others there have been wrong too often. That is no reason to refuse what is right. */
  readonly failing: boolean;
  readonly cookies: Context["cookies"];
  /** Who calls from a browser, as far as its other cookies tell. */
  readonly browser: Browser;
  readonly outside: Outside;
  /** As it came: what another service signs. */
  readonly sent: { request: IncomingMessage; body: Buffer };
  /** One write transaction with its events and audit row. */
  transaction<T>(work: (context: EffectsTransaction) => Promise<T>): Promise<T>;
  /**
   * The transaction that decides: what it returns is the answer, kept with its Idempotency-Key in the same commit. Every operation
   * that honours a key ends with it.
   */
  finish<T>(work: (context: EffectsTransaction) => Promise<T>): Promise<T>;
  /** In the caller's Workspace, or as nobody in another one whose id something public has told. */
  read<T>(work: (tx: Queries) => Promise<T>, workspaceId?: string): Promise<T>;
}

export interface Implementation {
  operation: AnyOperation;
  access: Access<unknown>;
  mode: "one" | "list" | "effects";
  /** What is kept of the answer with its key, and what that is answered with now: for a key that is good for ever. */
  renew?: { kept(body: string): string; now(tx: Queries, kept: string): Promise<string> };
  // biome-ignore lint/suspicious/noExplicitAny: the typed signatures are those of implement, implementList and implementWithEffects.
  run: (context: any, input: any) => Promise<any>;
}

type With<In, Target> = NoInfer<In> & { target: Target };

export function implement<In, Out, Target>(
  operation: Operation<In, Out>,
  access: Access<Target>,
  run: (context: Context, input: With<In, Target>) => Promise<NoInfer<Out> | Rendered | Csv>,
  renew?: Implementation["renew"],
): Implementation {
  return { operation, access: access as Access<unknown>, mode: "one", run, ...(renew && { renew }) };
}

/** A list is sent together with the authentication and the load of what it belongs to, and therefore sees neither. */
export function implementList<In, Item, Target>(
  operation: Operation<In, Item[]>,
  access: Access<Target>,
  run: (tx: Queries, input: NoInfer<In>) => Promise<Listed>,
): Implementation {
  return { operation, access: access as Access<unknown>, mode: "list", run };
}

/**
 * For the few operations that must do slow or outside work within the request: none of it happens inside a transaction. The target is
 * loaded before and not locked: the transaction that decides must look at it again.
 */
export function implementWithEffects<In, Out, Target>(
  operation: Operation<In, Out>,
  access: Access<Target>,
  run: (context: EffectsContext, input: With<In, Target>) => Promise<NoInfer<Out> | Rendered | Redirect>,
  renew?: Implementation["renew"],
): Implementation {
  return { operation, access: access as Access<unknown>, mode: "effects", run, ...(renew && { renew }) };
}

const nothing = { load: async () => null, permits: () => true };
/** Anybody. */
export const open = (): Access<null> => ({ reach: "public", ...nothing });
/** Anybody who is signed in, to what is their own. */
export const account = (): Access<null> => ({ reach: "account", ...nothing });
