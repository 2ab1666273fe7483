// One change to many Tasks, in one transaction. Each Task is judged for itself, by the rules for changing it alone; what is refused is told
// and does not stop the others. Three round-trips, however many they are, and one more where some are not found.
import type { ErrorCode } from "@svc/contract/errors.ts";
import * as contract from "@svc/contract/tasks/bulk.ts";
import type { Static } from "typebox";
import { type Context, implement } from "../kernel/implement.ts";
import { permits } from "../projects/access.ts";
import { refuseAt } from "../wire/problem.ts";
import { workspace } from "../workspaces/access.ts";
import * as store from "./bulk-store.ts";
import { reviews } from "./change.ts";
import { changesOf, differs } from "./events.ts";
import { changed, reviewRefusal, statusTimes, type TaskFields } from "./rules.ts";

type Changes = Static<typeof contract.BulkChanges>;
type Outcome = Static<typeof contract.BulkOutcome>;

const refused = (outcome: Outcome["outcome"], code: ErrorCode, task_id: string, revision: string | null): Outcome => ({
  task_id,
  outcome,
  code,
  revision,
});

/** What the change says of one Task: the trash is a time there. */
function bodyFor({ trashed, ...fields }: Changes, before: TaskFields, now: string): Partial<TaskFields> {
  if (trashed === undefined || trashed === (before.trashed_at !== null)) return fields;
  return { ...fields, trashed_at: trashed ? now : null };
}

/** Whether what the change names can be used for this Task. What it has already may have gone out of use since. */
function usable(body: Partial<TaskFields>, before: TaskFields, found: store.Usable): boolean {
  const { project_id } = before;
  const names = (field: "status_id" | "assignee_actor_id" | "milestone_id") =>
    body[field] !== null && differs(body[field], before[field]);
  const status = found.status !== null && (found.status.project_id ?? project_id) === project_id;
  return (
    (!names("status_id") || status) &&
    (!names("assignee_actor_id") || (found.assignee !== null && !found.unseen_project_ids.includes(project_id))) &&
    (!names("milestone_id") || found.milestone_project_id === project_id)
  );
}

const moves = (body: Partial<TaskFields>, before: TaskFields) =>
  (Object.keys(body) as (keyof TaskFields)[]).some((field) => differs(body[field], before[field]));

interface Judged {
  outcome: Outcome;
  /** What it was, what is sent of it and what it will be, where it changes. */
  change?: { before: TaskFields; body: Partial<TaskFields>; after: TaskFields };
}

function judge(context: Context, row: store.Found, changes: Changes, found: store.Usable, expected?: string): Judged {
  const before = JSON.parse(row.json) as TaskFields;
  const { id, revision } = before;
  const { now } = context.principal;
  const permission = permits("work:write")(context, row);
  if (permission === false) return { outcome: refused("forbidden", "forbidden", id, revision) };
  if (permission !== true) return { outcome: refused("conflict", permission, id, revision) };
  if (expected !== undefined && expected !== revision)
    return { outcome: refused("conflict", "revision_conflict", id, revision) };
  const body = bodyFor(changes, before, now);
  if (before.trashed_at !== null && body.trashed_at !== null && moves(body, before))
    return { outcome: refused("conflict", "task_trashed", id, revision) };
  if (!usable(body, before, found)) return { outcome: refused("invalid", "invalid_reference", id, revision) };
  if (!moves(body, before)) return { outcome: { task_id: id, outcome: "unchanged", code: null, revision } };
  const entering = differs(body.status_id, before.status_id) && found.status ? { ...row, ...found.status } : null;
  const unreviewed = entering && reviewRefusal(entering, reviews(context, row));
  if (unreviewed)
    return { outcome: refused(unreviewed === "forbidden" ? "forbidden" : "conflict", unreviewed, id, revision) };
  const times = entering ? statusTimes(entering.category, before, now) : {};
  const after = changed(before, { ...body, ...times }, now);
  if (after.start_date !== null && after.due_date !== null && after.start_date > after.due_date)
    return { outcome: refused("invalid", "invalid_dates", id, revision) };
  const outcome = { task_id: id, outcome: "updated", code: null, revision: after.revision } as const;
  return { outcome, change: { before, body, after } };
}

export const updateTasks = implement(contract.updateTasks, workspace("work:write"), async (context, { body }) => {
  const { tx, member, record, defer } = context;
  const { changes } = body;
  // Sent in two spellings it is still one Task.
  const ids = [...new Set(body.task_ids)];
  const expected = new Map(Object.entries(body.revisions ?? {}).map(([id, revision]) => [id.toLowerCase(), revision]));
  for (const id of expected.keys())
    if (!ids.includes(id))
      refuseAt(`/body/revisions/${id}`, "invalid_request", "must be one of task_ids", "not_allowed");
  const named = [changes.status_id ?? null, changes.assignee_actor_id ?? null, changes.milestone_id ?? null] as const;
  const [rows, found] = await store.lockTasks(tx, member.workspaceId, ids, named);
  const judged = new Map(rows.map((row) => [row.id, judge(context, row, changes, found, expected.get(row.id))]));
  const made = [...judged.values()].flatMap(({ change }) => change ?? []);
  const assignee = changes.assignee_actor_id;
  const reassigned = made
    .filter(({ before }) => differs(assignee, before.assignee_actor_id))
    .map(({ after }) => after.id);
  const written = made.map(({ after: { description_markdown: _, title: __, ...fields } }) => fields);
  if (made.length > 0) defer(store.updateTasks(tx, member, written, reassigned, assignee ?? null));
  for (const { before, body } of made) for (const fact of changesOf(before, body)) record(fact);
  return { items: ids.map((id) => judged.get(id)?.outcome ?? refused("not_found", "not_found", id, null)) };
});
