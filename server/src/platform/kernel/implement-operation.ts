// Declares the implementation of an operation: contract, access rule and handler. Without an access rule it does not
// compile. A handler works on one transaction, independent of HTTP; cross-cutting work belongs to the pipeline.

import type { IncomingMessage } from "node:http";
import type { Capability } from "@svc/contract/capabilities.ts";
import type { ErrorCode } from "@svc/contract/errors.ts";
import type { AnyOperation, Csv, Operation, RateClass, Redirect } from "@svc/contract/kit.ts";
import type { Queries } from "../database/db.ts";
import type { JournalPosition } from "../database/journal.ts";
import type { ExternalSystems, Letter } from "../outside/external-systems.ts";
import type { RunLimits } from "../settings/run-limits.ts";
import type { ClientProgram } from "../wire/client-address.ts";
import type { Browser } from "../wire/cookies.ts";
import type { Key } from "../wire/cursor.ts";
import type { Membership, Principal } from "./authentication.ts";
import type { Fact } from "./events.ts";

/** JSON that PostgreSQL built and that passes through unchanged: measured at a third of the cost of mapping in Node. */
export interface Rendered {
  json: string;
  revision?: string;
  /** Capabilities of the caller on the resource; the response contains those that its credential can use. */
  capabilities?: readonly Capability[];
  /** Set if the work continues in the background: 202 if the operation declares `accepted`. */
  accepted?: boolean;
}
/** One row of a list: its JSON and, as a JSON array, the sort key after which the next page starts. */
export interface ListRow {
  json: string;
  key: string;
  /** The texts of earlier rows fill the page, so this row moves to the next. */
  cut?: boolean;
}

/** Wraps a connection: reads also load the resources that rows reference; `included` returns them afterwards. */
export type Including = (
  tx: Queries,
  operation: AnyOperation,
  asked: readonly string[],
  limit: number,
) => { queries: Queries; included(): Record<string, unknown> };

/** Rows of a page. A list may report itself if there is more, with the key to continue after, and add members. */
export type ListResult = ListRow[] | { rows: ListRow[]; more: string | null; beside?: Record<string, unknown> };

export interface Context {
  readonly tx: Queries;
  readonly hasModel: boolean;
  readonly runLimits: RunLimits;
  readonly principal: Principal;
  /** Membership of the caller in the Workspace of this request; throws not_found if there is none. */
  readonly member: Membership;
  /** Id of this write's audit row, which its events reference; for handlers whose own statements write events. */
  readonly commandId: string;
  readonly cookies: { set(secret: string, maxAge: number | null): void; clear(): void };
  /** Creates a cursor that continues another list after this key; params and query as in a request for that list. */
  cursorIn(list: AnyOperation, params: Record<string, string>, query: Record<string, unknown>, key: string): string;
  /** Reads the key from such a cursor; refuses any other cursor. */
  openIn(list: AnyOperation, params: Record<string, string>, query: Record<string, unknown>, cursor: string): Key;
  /** Wraps the connection so that reads of up to `limit` such rows also load the resources that they reference. */
  bring(list: AnyOperation, names: readonly string[], limit: number): ReturnType<Including>;
  /** Journal place of the read; only for operations with baseline: "always". */
  place(): JournalPosition;
  /** Creates the cursor with which this caller continues from a place in the journal. */
  cursorAt(place: JournalPosition, scope: string, resourceId: string | null): string;
  /** Aborts a write's first attempt if there are ids: their collaboration text is checkpointed before the second. */
  requireSealed?(ids: readonly string[]): void;
  /** Finds the implementation of another operation, to perform it within this one (nested-operation.ts). */
  implementationOf(operation: AnyOperation): Implementation;
  record(fact: Fact): void;
  /** Allocates the next Task number of this Project, permanently: a write that fails leaves a gap. */
  numberIn(projectId: string): Promise<bigint>;
  /** Defers a statement whose result is not needed to the commit's round-trip. The commit fails if it fails. */
  defer(statement: Promise<unknown>): void;
  /**
   * Runs within the same transaction on another tenant, as this Actor of it, at the moment when a Workspace or a
   * membership is created. Facts recorded meanwhile belong to that tenant.
   */
  within<T>(there: { workspaceId: string; actorId: string | null }, work: () => Promise<T>): Promise<T>;
  /** Enqueues background work in the same commit. */
  enqueue(job: string, payload: Record<string, unknown>): void;
  /** Queues a mail that the response does not wait for: it is sent after the commit, and only then. */
  post(letter: Letter): void;
}

export type Permission = boolean | ErrorCode;
/** Hides a resource that only callers with this permission may know about: for everybody else it does not exist. */
export const unlessHidden = (permission: Permission, hidden = true): Permission =>
  permission === false && hidden ? "not_found" : permission;
export interface Access<Target> {
  /**
   * public: no credential. account: signed in. anywhere: signed in, and a member of the credential's Workspace, or of
   * the one that a native client names, if the caller has access to it. named: the same, but the Workspace that the
   * request names takes precedence. membership: an active member of the Workspace that the request is about, with a
   * credential valid in it. own: an active member of the Workspace in the path, whichever one the session is in; in an
   * archived one only an owner.
   */
  reach: "public" | "account" | "anywhere" | "named" | "membership" | "own";
  /**
   * Loads the row through the resource's one visibility predicate, locked if it will be changed; undefined is 404. Sent
   * together with the authentication, so its SQL identifies the caller by current_workspace() and current_actor().
   */
  load(tx: Queries, params: Record<string, string>, change: boolean): Promise<Target | undefined>;
  /**
   * Set if the handler's own statement changes the row only at the loaded revision and otherwise fails like a
   * serialisation failure, so that the request is retried. If the caller names a revision, the row is then not locked
   * first, which saves a third of its load.
   */
  guarded?: boolean;
  /** Whether the caller may do this to a target that it can read; false is 403, a code replaces that refusal. */
  permits(context: Context, target: Target): Permission;
}

export type EffectsTransaction = Context & {
  /** Sets the author of the write if nobody is signed in yet. */
  actAs(userId: string): void;
  readonly client: ClientProgram;
};
/** A context that runs outside a transaction and opens short ones of its own. */
export interface EffectsContext {
  readonly principal: Principal | null;
  readonly member: Context["member"];
  /**
   * Takes one request of this class for each subject that the operation knows (an account, an address), and refuses if
   * none is left: a new session, another network or another process does not grant new attempts.
   */
  limit(name: RateClass, ...subjects: [string, ...string[]]): Promise<void>;
  /** Returns a request that was taken for an attempt that turned out not to fail. */
  giveBack(name: RateClass, subject: string): Promise<void>;
  /** Network that the request comes from: the client's address, or its /64 of IPv6. */
  readonly network: string;
  /** Whether If-Match names a revision: the transaction must still find the loaded one. */
  readonly namesRevision: boolean;
  /** Too many attempts from this address have failed. A correct attempt is not refused for that. */
  readonly failing: boolean;
  readonly cookies: Context["cookies"];
  /** The caller's browser, identified by its other cookies. */
  readonly browser: Browser;
  readonly outside: ExternalSystems;
  /** Request and raw body, whose signature another service computed. */
  readonly sent: { request: IncomingMessage; body: Buffer };
  /** Runs one write transaction with its events and audit row. */
  transaction<T>(work: (context: EffectsTransaction) => Promise<T>): Promise<T>;
  /**
   * Runs the deciding transaction: its result is the response, stored with its Idempotency-Key in the same commit.
   * Every operation that honours a key ends with it.
   */
  finish<T>(work: (context: EffectsTransaction) => Promise<T>): Promise<T>;
  /** Reads in the caller's Workspace, or anonymously in another one whose id came from public data. */
  read<T>(work: (tx: Queries) => Promise<T>, workspaceId?: string): Promise<T>;
}

export interface Implementation {
  operation: AnyOperation;
  access: Access<unknown>;
  mode: "one" | "list" | "effects";
  /** For a key that never expires: `kept` selects the stored part of the response, `now` renders it again on replay. */
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

/** A list query runs together with the authentication and the load of its parent, so it has access to neither. */
export function implementList<In, Item, Target>(
  operation: Operation<In, Item[]>,
  access: Access<Target>,
  run: (tx: Queries, input: NoInfer<In>) => Promise<ListResult>,
): Implementation {
  return { operation, access: access as Access<unknown>, mode: "list", run };
}

/**
 * For the few operations that do slow work or call other services within the request, outside any transaction. The
 * target is loaded before and not locked: the deciding transaction must check it again.
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
/** Access for everybody. */
export const open = (): Access<null> => ({ reach: "public", ...nothing });
/** Access for every signed-in caller, to its own data. */
export const account = (): Access<null> => ({ reach: "account", ...nothing });
