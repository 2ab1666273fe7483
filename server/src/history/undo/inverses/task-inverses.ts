// Inverses of changes to Tasks themselves. All changes of one command to a Task are reverted as one change, by the same
// code as any other: a field only while it has the value that the command set, the others keep their current values.
import { usableLabels } from "../../../planning/labels/store.ts";
import { permits } from "../../../planning/projects/access.ts";
import type { TaskTarget } from "../../../planning/tasks/access.ts";
import { lockAll, readAll } from "../../../planning/tasks/bulk-store.ts";
import { changeTask, fieldsOf, requireReferences, reviews } from "../../../planning/tasks/change.ts";
import type { TaskPlacement } from "../../../planning/tasks/move-change.ts";
import { type EnteredStatus, reviewRefusal, type StatusTimes, type TaskFields } from "../../../planning/tasks/rules.ts";
import { descriptionTexts } from "../../../planning/tasks/store.ts";
import { settle } from "../../../platform/kernel/context.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { type Fault, Refusal } from "../../../platform/wire/problem.ts";
import {
  gone,
  hindered,
  type Inverse,
  movedOn,
  type OrderedEffect,
  requireMay,
  requireNone,
  same,
} from "../conflict.ts";

interface Turn {
  was: Partial<TaskFields>;
  made: Partial<TaskFields>;
  times?: StatusTimes;
}
type Payload = { from?: unknown; to?: unknown; position?: number } & Partial<StatusTimes>;

const one = (field: keyof TaskFields) => (told: Payload) => ({
  was: { [field]: told.from },
  made: { [field]: told.to },
});
const several = ({ from = {}, to = {} }: Payload) => ({ was: from, made: to }) as Turn;

const LABELS = "task.labels_changed";
const labelsOf = ({ payload: { from, to } }: OrderedEffect) => [
  ...((from ?? []) as string[]),
  ...((to ?? []) as string[]),
];

/** Per event type: the fields before and after the command. */
const turns: Record<string, (told: Payload, now: string) => Turn> = {
  // Later resources of the Task move to the trash with it, and are restored with it.
  "task.created": (_told, now) => ({ was: { trashed_at: now }, made: { trashed_at: null } }),
  // Restores the former position, whatever the current one is. Without a recorded position the Task comes first.
  "task.status_changed": ({ from, to, position, started_at = null, completed_at = null }) => ({
    was: { status_id: from as string, ...(position === undefined ? {} : { position }) },
    made: { status_id: to as string },
    times: { started_at, completed_at },
  }),
  "task.assigned": one("assignee_actor_id"),
  "task.dates_changed": several,
  "task.priority_changed": one("priority"),
  "task.milestone_changed": one("milestone_id"),
  // The values are revisions; withValues replaces them by their texts.
  "task.description_changed": one("description_markdown"),
  "task.updated": several,
  [LABELS]: one("label_ids"),
  "task.trashed": one("trashed_at"),
  "task.restored": one("trashed_at"),
};
export const taskChanges = Object.keys(turns);

/** Loads the affected Tasks. The caller must see and be permitted to change all of them. */
export async function reachTasks(
  context: Context,
  done: readonly OrderedEffect[],
  change: boolean,
): Promise<Map<string, TaskTarget>> {
  const ids = [...new Set(done.map(({ id }) => id))];
  const rows = await (change ? lockAll : readAll)(context.tx, ids);
  const targets = rows.map(({ id, json, project_role, project_archived }) => {
    const { project_id, code, revision, trashed_at } = JSON.parse(json) as TaskFields;
    const project_key = code.slice(0, code.lastIndexOf("-"));
    return {
      id,
      project_id,
      project_key,
      project_role,
      project_archived,
      revision,
      trashed: trashed_at !== null,
      json,
    };
  });
  const found = new Map(targets.map((target) => [target.id, target]));
  requireNone(done.filter(({ id }) => !found.has(id)).map(gone));
  for (const each of done) requireMay(each, permits("work:write")(context, found.get(each.id) as TaskTarget));
  return found;
}

/** Replaces revisions by their texts and leaves out labels deleted since: the Task would have lost them anyway. */
async function withValues(
  { tx, member }: Context,
  done: readonly OrderedEffect[],
  change: boolean,
): Promise<Map<OrderedEffect, Payload>> {
  const usable = new Map<string, Promise<Set<string>>>();
  const usableIn = (project: string) => {
    const ids = done.filter(({ type, here }) => type === LABELS && here?.project_id === project).flatMap(labelsOf);
    const found = usableLabels(tx, member.workspaceId, [...new Set(ids)], project, "task", change);
    return found.then((labels) => new Set(labels.map(({ id }) => id)));
  };
  const told = done.map(async (each): Promise<[OrderedEffect, Payload]> => {
    const { from, to } = each.payload as Payload;
    if (each.type === LABELS && each.here) {
      const { project_id } = each.here;
      const found = usable.get(project_id) ?? usableIn(project_id);
      usable.set(project_id, found);
      const labels = await found;
      const today = (ids: unknown) => ((ids ?? []) as string[]).filter((id) => labels.has(id));
      return [each, { from: today(from), to: today(to) }];
    }
    if (each.type !== "task.description_changed") return [each, each.payload];
    const { was, made } = await descriptionTexts(tx, member.workspaceId, each.id, from, to);
    return [each, { from: was, to: made }];
  });
  return new Map(await Promise.all(told));
}

interface Change {
  target: TaskTarget;
  before: TaskFields;
  body: Partial<TaskFields>;
  times?: StatusTimes;
  /** The effect that set each field. */
  owners: Map<string, OrderedEffect>;
  faults: Fault[];
}
function changeOf(
  target: TaskTarget,
  done: readonly OrderedEffect[],
  told: Map<OrderedEffect, Payload>,
  now: string,
): Change {
  const change: Change = { target, before: fieldsOf(target), body: {}, owners: new Map(), faults: [] };
  const { before, body, owners, faults } = change;
  for (const each of done) {
    const turn = turns[each.type]?.(told.get(each) as Payload, now) as Turn;
    for (const [field, made] of Object.entries(turn.made)) {
      owners.set(field, each);
      const stands = field === "description_markdown" && made === null;
      if (!stands && !same(before[field as keyof TaskFields], made)) faults.push(movedOn(each, field));
    }
    Object.assign(body, turn.was);
    change.times = turn.times ?? change.times;
  }
  const last = done[0] as OrderedEffect;
  // The Task was moved after the command was loaded, and the lookups used its former Project.
  if (target.project_id !== last.here?.project_id) faults.push(movedOn(last, "project_id"));
  if (target.trashed && body.trashed_at === undefined)
    faults.push(hindered(last, "", "task_trashed", "lies in the trash"));
  const { start_date, due_date } = { ...before, ...body };
  const dated = owners.get("start_date") ?? owners.get("due_date");
  if (dated && start_date !== null && due_date !== null && start_date > due_date)
    faults.push(hindered(dated, "", "invalid_dates", "would start after it is due"));
  return change;
}

/**
 * Reports a completing Status that reviewRefusal denies: the Project requires review, and the Task is not in review or
 * the caller may not review it.
 */
function unreviewed(context: Context, { target, owners }: Change, entering: EnteredStatus | null): Fault[] {
  if (entering === null || reviewRefusal(entering, reviews(context, target)) === null) return [];
  const done = owners.get("status_id") as OrderedEffect;
  return [hindered(done, "status_id", "review_required", "counts as completed, which needs a review")];
}

/** The Project that the same command moved the Task out of: restored references must be usable there. */
const leftBy = ({ id, beside }: OrderedEffect) => {
  const moved = beside.find((other) => other.type === "task.moved" && other.id === id);
  return (moved?.payload.from as TaskPlacement | undefined)?.project_id;
};

interface Found {
  entering: EnteredStatus | null;
  faults: Fault[];
}
/**
 * Loads the Status that each Task will enter, and reports references that are no longer usable. Runs together with the
 * load of the Tasks, based on the events; equal lookups run once.
 */
async function referencesOf(
  context: Context,
  tasks: readonly (readonly OrderedEffect[])[],
  change: boolean,
): Promise<Found[]> {
  const asked = new Map<string, Promise<EnteredStatus | null>>();
  return settle(
    tasks.map(async (done): Promise<Found> => {
      const owners = new Map<string, OrderedEffect>();
      const [was, made]: Partial<TaskFields>[] = [{}, {}];
      for (const each of done) {
        const turn = turns[each.type]?.(each.payload, context.principal.now) as Turn;
        for (const field of Object.keys(turn.was)) owners.set(field, each);
        Object.assign(was as object, turn.was);
        Object.assign(made as object, turn.made);
      }
      const { status_id, assignee_actor_id, milestone_id } = was as Partial<TaskFields>;
      const project = done[0] && (leftBy(done[0]) ?? done[0].here?.project_id);
      // The Task is no longer visible; loading it reports that.
      if (project === undefined) return { entering: null, faults: [] };
      const named = { status_id, assignee_actor_id, milestone_id };
      const from = made?.status_id ?? null;
      const key = JSON.stringify([project, named, from]);
      const answer = asked.get(key) ?? requireReferences(context, project, named, from, change);
      asked.set(key, answer);
      try {
        return { entering: await answer, faults: [] };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { code, extra } = error;
        const faults = (extra.errors ?? []).map(({ pointer, detail }) => {
          const field = pointer.slice("/body/".length);
          return hindered(owners.get(field) as OrderedEffect, field, code, detail);
        });
        return { entering: null, faults };
      }
    }),
  );
}

export const undoTaskChanges: Inverse = async (context, done, change) => {
  const { now } = context.principal;
  const tasks = [...Map.groupBy(done, ({ id }) => id).values()];
  const [targets, told, found] = await settle([
    reachTasks(context, done, change),
    withValues(context, done, change),
    referencesOf(context, tasks, change),
  ]);
  const changes = tasks.map((own) => changeOf(targets.get((own[0] as OrderedEffect).id) as TaskTarget, own, told, now));
  requireNone(changes.flatMap(({ faults }) => faults));
  requireNone(found.flatMap(({ faults }) => faults));
  const entered = changes.map(({ target }, index) => {
    const entering = found[index]?.entering;
    return entering ? { ...entering, in_review: entering.in_review || reviews(context, target) } : null;
  });
  requireNone(changes.flatMap((each, index) => unreviewed(context, each, entered[index] ?? null)));
  return () => {
    for (const [index, { target, before, body, times }] of changes.entries())
      changeTask(context, target, before, body, entered[index], times);
  };
};
