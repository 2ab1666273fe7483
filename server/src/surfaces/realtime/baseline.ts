// Baseline of a client that follows changes: one snapshot of a scope as ids and revisions, with the cursor of that
// snapshot. Later pages have the cursor of the first, and are refused once a listed item has changed. It reveals
// nothing that its reader could not list.
import {
  MOST_COMMENTS,
  MOST_ITEMS,
  getRealtimeBaseline as operation,
} from "@svc/contract/surfaces/realtime/baseline.ts";
import { lastChange } from "../../assistant/discuss/store.ts";
import type { Queries } from "../../platform/database/db.ts";
import { type JournalPosition, proofOf, timelineOf } from "../../platform/database/journal.ts";
import { type Context, implement, type ListRow } from "../../platform/kernel/implement-operation.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { headerFault } from "../../platform/wire/input/preconditions.ts";
import { Refusal, refuse } from "../../platform/wire/problem.ts";
import { follower, requireIde } from "./door.ts";
import * as store from "./store.ts";

type Scope = NonNullable<Asked["scope"]> | "workspace";
interface Asked {
  scope?: "projects" | "task_comments" | "account" | "account_security" | "inbox" | "personal_projects" | "discuss";
  resource_id?: string;
  continuation?: string;
  limit?: number;
}
const PAGED: readonly Scope[] = ["projects", "task_comments"];
const OF_ACCOUNT: readonly Scope[] = ["account", "account_security"];
const OF_DEVELOPERS: readonly Scope[] = ["workspace", "projects", "task_comments"];

const fault = (name: string, code: string, detail: string) =>
  new Refusal("invalid_request", { errors: [{ pointer: `/query/${name}`, code, detail }] });

/** Validates the parameters that depend on the scope. */
function requireFitting(scope: Scope, { resource_id, continuation, limit }: Asked): void {
  const isComments = scope === "task_comments";
  if (isComments && resource_id === undefined) throw fault("resource_id", "required", "must name the Task");
  if (!isComments && resource_id !== undefined)
    throw fault("resource_id", "not_allowed", "goes with task_comments; leave it out");
  if (continuation !== undefined && !PAGED.includes(scope))
    throw fault("continuation", "not_allowed", "goes with projects and task_comments; leave it out");
  if (isComments && limit !== undefined && limit > MOST_COMMENTS)
    throw fault("limit", "out_of_range", `must be at most ${MOST_COMMENTS} with task_comments`);
}

function requireScope({ principal }: Context, scope: Scope): void {
  const { kind, membership, workspaceId } = principal;
  if (kind === "developer" && !OF_DEVELOPERS.includes(scope))
    throw new Refusal("credential_kind_not_allowed", {
      errors: [
        {
          pointer: "/headers/authorization",
          code: "not_allowed",
          detail: "is a developer token; this scope accepts a browser session or a native token",
        },
      ],
    });
  if (OF_ACCOUNT.includes(scope) || membership) return;
  if (kind === "native" && workspaceId === null)
    throw headerFault("x-svc-workspace-id", "required", "must name the Workspace: send its id");
  refuse("workspace_access_denied");
}

/** All items of a scope, or as many as a page holds. */
async function itemsOf(tx: Queries, scope: Scope, limit: number): Promise<{ items: string[]; more: boolean }> {
  const rows = await (scope === "workspace"
    ? store.workspaceItems(tx)
    : scope === "account"
      ? store.accountItems(tx)
      : scope === "account_security"
        ? store.securityItems(tx, MOST_ITEMS + 1)
        : scope === "inbox"
          ? store.inboxItems(tx, limit + 1)
          : scope === "personal_projects"
            ? store.personalItems(tx)
            : store.discussItems(tx, limit + 1));
  // A client would take the missing credentials of a partial list for revoked.
  if (scope === "account_security" && rows.length > MOST_ITEMS) refuse("baseline_bounds");
  const most = scope === "inbox" || scope === "discuss" ? limit : rows.length;
  return { items: rows.slice(0, most).map(({ json }) => json), more: rows.length > most };
}

interface From {
  place: JournalPosition;
  /** Snapshot of the first page. */
  snapshot: string;
  after: readonly unknown[] | null;
}

/** Reads a page, and checks access to the Task of comments every time: a reader who lost it gets no further page. */
async function pageOf(context: Context, asked: Asked, limit: number) {
  const { tx, principal } = context;
  const { scope, resource_id = null, continuation } = asked;
  const binding = { scope, resource_id, holder: principal.holderId };
  const from = continuation === undefined ? null : opened(context, binding, continuation);
  const taskId = resource_id as string;
  const isProjects = scope === "projects";
  const [snapshot, changed, seen, rows] = await Promise.all([
    from?.snapshot ?? store.snapshotOf(tx),
    from !== null &&
      (isProjects ? store.projectsChanged(tx, from.snapshot) : store.commentsChanged(tx, from.snapshot, taskId)),
    isProjects || store.seesTask(tx, taskId),
    isProjects
      ? store.projectItems(tx, from?.after ?? null, limit + 1)
      : store.commentItems(tx, taskId, from?.after ?? null, limit),
  ]);
  if (!seen) throw fault("resource_id", "invalid_reference", "must be a Task that you see");
  if (changed || (from && !isSameHistory(from.place, context.place()))) refuse("revision_conflict");
  const place = from?.place ?? context.place();
  const cut = rows.findIndex((row: ListRow) => row.cut === true);
  const shown = rows.slice(0, cut < 0 ? limit : Math.min(cut, limit));
  const more = rows.length > shown.length;
  const key = shown.at(-1)?.key ?? "[]";
  const next = JSON.stringify([place.epoch, place.position, place.at, place.proof, snapshot, ...JSON.parse(key)]);
  return {
    items: shown.map(({ json }) => json),
    more,
    place,
    continuation: more ? context.cursorIn(operation, {}, binding, next) : null,
  };
}

function opened({ openIn }: Context, binding: Record<string, unknown>, continuation: string): From {
  const [epoch, position, at, proof, snapshot, ...after] = openIn(operation, {}, binding, continuation) as string[];
  return { place: { epoch, position, at, proof } as JournalPosition, snapshot: snapshot as string, after };
}
/** Snapshots are compared by transaction numbers, which are reused after a promotion. */
const isSameHistory = (one: JournalPosition, other: JournalPosition) =>
  one.epoch === other.epoch && timelineOf(one) === timelineOf(other);

export const getRealtimeBaseline = implement(operation, follower, async (context, { query, target: { clientId } }) => {
  const { scope = "workspace", limit } = query;
  requireIde(context.principal.kind, clientId);
  requireScope(context, scope);
  requireFitting(scope, query);
  const most = limit ?? (scope === "task_comments" ? MOST_COMMENTS : MOST_ITEMS);
  const reading = PAGED.includes(scope)
    ? pageOf(context, query, most)
    : itemsOf(context.tx, scope, most).then((found) => ({ ...found, place: context.place(), continuation: null }));
  // Discuss has a sequence of its own instead of journal positions.
  const [page, last, proof] = await Promise.all([
    reading,
    scope === "discuss" ? lastChange(context.tx) : null,
    OF_ACCOUNT.includes(scope) ? proofOf(context.tx, NIL, context.place().position) : null,
  ]);
  const place = {
    ...page.place,
    position: last?.sequence ?? page.place.position,
    token: last?.token ?? null,
    proof: proof ?? page.place.proof,
  };
  const rest = JSON.stringify({
    cursor: context.cursorAt(place, scope, query.resource_id ?? null),
    position: place.position,
    continuation: page.continuation,
    has_more: page.more,
  });
  return { json: `{"scope":"${scope}","items":[${page.items.join(",")}],${rest.slice(1)}` };
});
