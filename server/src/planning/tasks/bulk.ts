// One change to many Tasks, in one transaction. Each Task is validated separately by the rules for a single change; a
// refused one is reported and does not stop the others. Three round-trips regardless of the number of Tasks, and one
// more if some are not found.
import type { ErrorCode } from "@svc/contract/errors.ts";
import { MOST_LABELS } from "@svc/contract/planning/labels/assignments.ts";
import * as contract from "@svc/contract/planning/tasks/bulk.ts";
import type { Static } from "typebox";
import { workspace } from "../../accounts/workspaces/access.ts";
import { settle } from "../../platform/kernel/context.ts";
import type { Fact } from "../../platform/kernel/events.ts";
import { type Context, implement } from "../../platform/kernel/implement-operation.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { labelsForTasks } from "../labels/store.ts";
import { permits } from "../projects/access.ts";
import * as store from "./bulk-store.ts";
import { reviews } from "./change.ts";
import { changesOf, differs, subjectOf, taskMoved } from "./events.ts";
import { isUnreviewed, placeOf } from "./move-change.ts";
import { arrivals, type Destination, destination, type TaskArrival } from "./move-store.ts";
import { changed, type EnteredStatus, labelsAfter, reviewRefusal, statusTimes, type TaskFields } from "./rules.ts";

type Changes = Static<typeof contract.BulkChanges>;
type Outcome = Static<typeof contract.BulkOutcome>;

const refused = (outcome: Outcome["outcome"], code: ErrorCode, task_id: string, revision: string | null): Outcome => ({
  task_id,
  outcome,
  code,
  revision,
});

/** References of the change, as far as they can be used. */
interface Named extends store.Usable {
  /** Labels that Tasks may have, with their Project, or null for a Workspace label. */
  labels: Map<string, string | null>;
  place: Destination | undefined;
  arrivals: Map<string, TaskArrival>;
  /** Position before all Tasks in the Statuses that are entered. */
  first: number;
}
type Fields = Partial<TaskFields>;

/**
 * Fields to change on one Task: `trashed` becomes a time, and a Task that changes its Project gets the Milestone,
 * Status and labels of its arrival.
 */
function bodyFor(changes: Changes, before: TaskFields, there: TaskArrival | null, now: string): Fields {
  const { trashed, label_ids: _, add_label_ids: __, remove_label_ids: ___, project_id, ...fields } = changes;
  const label_ids = labelsAfter(changes, (there ?? before).label_ids);
  return {
    ...(there ? { project_id, milestone_id: null, status_id: there.status?.id, label_ids: there.label_ids } : {}),
    ...fields,
    ...(label_ids ? { label_ids } : {}),
    ...(trashed === undefined || trashed === (before.trashed_at !== null) ? {} : { trashed_at: trashed ? now : null }),
  };
}

/**
 * Whether the references can be used for this Task. Unchanged ones may be archived by now, unless it changes its
 * Project.
 */
function usable(changes: Changes, body: Fields, before: TaskFields, found: Named, there: TaskArrival | null): boolean {
  const project_id = body.project_id ?? before.project_id;
  const names = (field: "status_id" | "assignee_actor_id" | "milestone_id") =>
    changes[field] !== undefined && changes[field] !== null && (there || differs(changes[field], before[field]));
  const status = found.status !== null && (found.status.project_id ?? project_id) === project_id;
  const bears = new Set((there ?? before).label_ids);
  const bearable = (id: string) => found.labels.has(id) && (found.labels.get(id) ?? project_id) === project_id;
  return (
    (!names("status_id") || status) &&
    (!names("assignee_actor_id") || (found.assignee !== null && !found.unseen_project_ids.includes(project_id))) &&
    (!names("milestone_id") || found.milestone_project_id === project_id) &&
    (body.label_ids ?? []).every((id) => bears.has(id) || bearable(id))
  );
}

const moves = (body: Fields, before: TaskFields) =>
  (Object.keys(body) as (keyof TaskFields)[]).some((field) => differs(body[field], before[field]));

interface Change {
  before: TaskFields;
  body: Fields;
  after: TaskFields;
}
interface Judged {
  outcome: Outcome;
  /** Former values, changed fields and new values, if the Task changes. */
  change?: Change;
}
/** Per-Task inputs: the expected revision, and the number of Tasks that come behind it in a Status that all enter. */
interface Asked {
  expected: string | undefined;
  behind: number;
}

/** Why the caller may not move Tasks into the Project; null if they may. */
function barred(context: Context, place: Destination | undefined): [Outcome["outcome"], ErrorCode] | null {
  if (!place) return ["invalid", "invalid_reference"];
  const permission = permits("work:write")(context, place);
  if (permission === false) return ["forbidden", "forbidden"];
  if (permission !== true) return ["conflict", permission];
  return place.closed ? ["conflict", "project_closed"] : null;
}

/** Why review keeps the Task from entering the Status or the other Project; null if it may. */
function unreviewed(context: Context, row: store.BulkTask, entering: EnteredStatus, place: Destination | null) {
  if (place) return isUnreviewed(context, place, entering) ? "review_required" : null;
  return reviewRefusal(entering, reviews(context, row));
}

function judge(context: Context, row: store.BulkTask, changes: Changes, found: Named, asked: Asked): Judged {
  const before = JSON.parse(row.json) as TaskFields;
  const { id, revision } = before;
  const { now } = context.principal;
  const no = (outcome: Outcome["outcome"], code: ErrorCode) => ({ outcome: refused(outcome, code, id, revision) });
  const permission = permits("work:write")(context, row);
  if (permission === false) return no("forbidden", "forbidden");
  if (permission !== true) return no("conflict", permission);
  if (asked.expected !== undefined && asked.expected !== revision) return no("conflict", "revision_conflict");
  const leaves = changes.project_id !== undefined && changes.project_id !== before.project_id;
  const there = leaves ? (found.arrivals.get(id) ?? null) : null;
  const body = bodyFor(changes, before, there, now);
  if (before.trashed_at !== null && body.trashed_at !== null && (leaves || moves(body, before)))
    return no("conflict", "task_trashed");
  const kept = leaves ? barred(context, found.place) : null;
  if (kept) return no(...kept);
  if (!usable(changes, body, before, found, there)) return no("invalid", "invalid_reference");
  if ((body.label_ids?.length ?? 0) > MOST_LABELS) return no("invalid", "limit_reached");
  if (!moves(body, before)) return { outcome: { task_id: id, outcome: "unchanged", code: null, revision } };
  const enters = leaves || differs(body.status_id, before.status_id);
  const standing = there ? there.status : row;
  const entering = enters && standing ? { ...standing, ...(changes.status_id ? found.status : there?.status) } : null;
  if (enters && entering?.id === undefined) return no("invalid", "invalid_reference");
  const late = entering && unreviewed(context, row, entering as EnteredStatus, there && (found.place as Destination));
  if (late) return no(late === "forbidden" ? "forbidden" : "conflict", late);
  const times = entering ? statusTimes((entering as EnteredStatus).category, before, now) : {};
  if (entering) body.position = found.first - asked.behind;
  const after = changed(before, { ...body, ...times }, now);
  if (after.start_date !== null && after.due_date !== null && after.start_date > after.due_date)
    return no("invalid", "invalid_dates");
  const outcome = { task_id: id, outcome: "updated", code: null, revision: after.revision } as const;
  return { outcome, change: { before, body, after } };
}

const leaves = ({ before, after }: Change) => before.project_id !== after.project_id;
/**
 * Events of one Task. A move event contains everything that it changes with the move; the other changes get their usual
 * events.
 */
function factsOf(change: Change): Fact[] {
  const { before, body, after } = change;
  if (!leaves(change)) return changesOf(before, body);
  const { status_id: _, milestone_id: __, label_ids: ___, position: ____, ...rest } = body;
  const moved = taskMoved(subjectOf(after), { from: placeOf(before), to: placeOf(after) });
  return [moved, ...changesOf({ ...before, project_id: after.project_id }, rest)];
}

/** Assigns the numbers in the destination Project. */
async function numbered({ numberIn }: Context, changes: readonly Change[], place: Destination | undefined) {
  const numbers = changes.map((change) => (place && leaves(change) ? numberIn(place.id) : null));
  const given = await Promise.all(numbers);
  return changes.map((change, index) => {
    const number = given[index] === null ? null : Number(given[index]);
    if (number === null || !place) return change;
    return { ...change, after: { ...change.after, number, code: `${place.key}-${number}` } };
  });
}

/** Refuses a contradictory change as a whole. */
function requireSense({ label_ids, add_label_ids, remove_label_ids, project_id, trashed }: Changes): void {
  const refuseField = (field: string, detail: string) =>
    refuseAt(`/body/changes/${field}`, "invalid_request", detail, "not_allowed");
  if (label_ids && add_label_ids) refuseField("add_label_ids", "must not stand beside label_ids");
  if (label_ids && remove_label_ids) refuseField("remove_label_ids", "must not stand beside label_ids");
  if (project_id && trashed) refuseField("trashed", "must not be true beside project_id");
}

export const updateTasks = implement(contract.updateTasks, workspace("work:write"), async (context, { body }) => {
  const { tx, member, record, defer } = context;
  const { workspaceId } = member;
  const { changes } = body;
  requireSense(changes);
  // Removes duplicates: the same id may be given twice.
  const ids = [...new Set(body.task_ids)];
  const expected = new Map(Object.entries(body.revisions ?? {}).map(([id, revision]) => [id.toLowerCase(), revision]));
  for (const id of expected.keys())
    if (!ids.includes(id))
      refuseAt(`/body/revisions/${id}`, "invalid_request", "must be one of task_ids", "not_allowed");
  const { status_id, assignee_actor_id: assignee, milestone_id, project_id } = changes;
  const named = [status_id ?? null, assignee ?? null, milestone_id ?? null] as const;
  const given = [...(changes.label_ids ?? []), ...(changes.add_label_ids ?? [])];
  const [[rows, found], labels, place, there] = await settle([
    store.lockTasks(tx, workspaceId, ids, named, project_id ?? null),
    given.length > 0 ? labelsForTasks(tx, workspaceId, given) : [],
    project_id === undefined ? undefined : destination(tx, project_id),
    project_id === undefined ? [] : arrivals(tx, workspaceId, ids, project_id),
  ]);
  const names: Named = {
    ...found,
    labels: new Map(labels.map((label) => [label.id, label.project_id])),
    place,
    arrivals: new Map(there.map((arrival) => [arrival.id, arrival])),
    first: Math.min(...[found.status, ...there.map(({ status }) => status)].flatMap((status) => status?.first ?? [])),
  };
  const asked = (id: string) => ({ expected: expected.get(id), behind: ids.length - 1 - ids.indexOf(id) });
  const judged = new Map(rows.map((row) => [row.id, judge(context, row, changes, names, asked(row.id))]));
  const made = await numbered(
    context,
    [...judged.values()].flatMap(({ change }) => change ?? []),
    place,
  );
  const idsOf = (some: readonly Change[]) => some.map(({ after }) => after.id);
  const moved = idsOf(made.filter(leaves));
  const reassigned = idsOf(made.filter(({ before }) => differs(assignee, before.assignee_actor_id)));
  const written = made.map(({ after: { description_markdown: _, title: __, ...fields } }) => fields);
  if (made.length > 0) defer(store.updateTasks(tx, member, written, { moved, reassigned }, assignee ?? null));
  for (const change of made) for (const fact of factsOf(change)) record(fact);
  return { items: ids.map((id) => judged.get(id)?.outcome ?? refused("not_found", "not_found", id, null)) };
});
