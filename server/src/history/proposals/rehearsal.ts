// Determines the effects of a ChangeSet by performing it: each change runs its operation, its effects are recorded, and
// finally everything is rolled back. If one is refused, all are performed again, each behind a savepoint. Nothing
// consumes numbers, enqueues jobs or writes events.
import { randomInt } from "node:crypto";
import { constraints } from "../../constraints.ts";
import { milestone } from "../../planning/projects/milestone/milestone-access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { translate } from "../../platform/database/translate-error.ts";
import { settle } from "../../platform/kernel/context.ts";
import type { Fact } from "../../platform/kernel/events.ts";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { type NestedResult, perform } from "../../platform/kernel/nested-operation.ts";
import { NIL, newId } from "../../platform/wire/ids.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { mentionsOf } from "../inbox/mention-store.ts";
import { type Addressed, type NoticeEvent, noticesOf } from "../inbox/notice-store.ts";
import type { Planned } from "./actions.ts";
import { performAll } from "./apply-changes.ts";
import { find } from "./current-state.ts";
import { namesIn } from "./name-store.ts";
import { differenceOf, refusedWith, touched } from "./outcomes.ts";
import type { ChangeEffect, ChangeFields, Rehearsal } from "./rules.ts";

/** Translates an error to the refusal that the operation would answer with. Other errors are rethrown. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { constraint = "" } = error as { constraint?: string };
  if (!(constraint in constraints)) throw error;
  return translate(error, constraints);
}

/** A number that no Task has, and no other rehearsal: two with the same number would block each other. */
const anyNumber = async () => 7_000_000_000_000_000n + BigInt(randomInt(2 ** 47));
const leavingNothing = (context: Context): Context => ({
  ...context,
  commandId: newId(),
  numberIn: anyNumber,
  record: () => {},
  defer: (statement) => void statement.catch(() => {}),
  enqueue: () => {},
  post: () => {},
});

const SAVE = "savepoint change";
const RELEASE = "release savepoint change";
const TAKE_BACK = "rollback to savepoint change";
const START_AGAIN = "rollback to savepoint proposal";

export interface Rehearsed {
  outcomes: Rehearsal[];
  names: Record<string, string>;
}
/** Performs all changes at once. Returns null if one is refused. */
async function together(here: Context, planned: readonly Planned[]): Promise<NestedResult[] | null> {
  const { tx } = here;
  const [, found] = await settle([tx.rows("savepoint proposal"), find(here, planned, true)]);
  const outcome = await performAll(here, planned, found);
  if ("done" in outcome) return outcome.done;
  refusalOf(outcome.error);
  await tx.rows(START_AGAIN);
  return null;
}
/** Performs each change behind a savepoint, as if the refused ones did not exist. */
async function oneByOne(here: Context, planned: readonly Planned[]): Promise<(NestedResult | Refusal)[]> {
  const { tx } = here;
  const done: (NestedResult | Refusal)[] = [];
  const performed = async ({ implementation, step }: Planned) => {
    const result = await perform(here, implementation, step);
    await result.written;
    return result;
  };
  for (const [at, each] of planned.entries())
    try {
      const [, , result] = await settle([at > 0 && tx.rows(RELEASE), tx.rows(SAVE), performed(each)]);
      done.push(result);
    } catch (error) {
      const refusal = refusalOf(error);
      await tx.rows(TAKE_BACK);
      done.push(refusal);
    }
  return done;
}

/** Reads the first page of notices: a preview names no more people. */
const firstNotices = async (tx: Queries, events: NoticeEvent[], addressed: Addressed[]) =>
  (await noticesOf(tx, events, addressed, NIL)).notices;

export async function rehearse(context: Context, planned: readonly Planned[]): Promise<Rehearsed> {
  const { tx } = context;
  const here = leavingNothing(context);
  const done = (await together(here, planned)) ?? (await oneByOne(here, planned));
  const outcomes = done.map((each, at): Rehearsal => {
    if (each instanceof Refusal) return { before: null, after: null, effects: [], refusal: refusedWith(each) };
    const { change } = planned[at] as Planned;
    return { ...differenceOf(change, each), effects: touched(each), refusal: null };
  });
  const facts = done.flatMap((each, at) => (each instanceof Refusal ? [] : each.facts.map((fact) => ({ fact, at }))));
  const events = facts.filter(({ fact }) => fact.activity !== null).map(({ fact }) => happening(fact, here));
  const addressed = await mentionsOf(tx, events);
  const last = milestonesOf(done);
  const about = planned.map(({ change: { set: _, ...rest } }) => rest);
  // In this order in one round-trip: the state with the changes, the rollback, then the current state.
  const [notices, reached, , were, names] = await settle([
    events.length > 0 ? firstNotices(tx, events, addressed) : [],
    percents(tx, [...last.keys()]),
    tx.rows(START_AGAIN),
    percents(tx, [...last.keys()]),
    namesIn(tx, [about, outcomes, [...last.keys()]]),
  ]);
  for (const { actor_id, display_name, category, task_id, document_id, project_id } of notices) {
    const subject = task_id ?? document_id ?? project_id;
    const told = facts.find(({ fact: { subject: its } }) =>
      [its.taskId, its.kind === "document" ? its.id : null, its.projectId].includes(subject),
    );
    const effect: ChangeEffect = { kind: "message", action: category, target_kind: "person", id: actor_id };
    outcomes[told?.at ?? 0]?.effects.push(effect);
    names[actor_id] = display_name;
  }
  for (const [id, at] of last)
    if (reached.get(id) === 100 && were.get(id) !== 100) outcomes[at]?.effects.push(completed(id));
  return { outcomes, names };
}
const completed = (id: string): ChangeEffect => ({
  kind: "milestone_completed",
  action: "milestone.completed",
  target_kind: "milestone",
  id,
});

/** The event that the fact would become, as the notifications job would read it. */
const happening = ({ type, subject, payload }: Fact, { member, commandId }: Context): NoticeEvent => ({
  id: newId(),
  workspace_id: member.workspaceId,
  type,
  actor_id: member.actorId,
  command_id: commandId,
  project_id: subject.projectId ?? null,
  task_id: subject.taskId ?? null,
  resource_kind: subject.kind,
  resource_id: subject.id,
  payload,
  // PostgreSQL reads "now" as the start of this transaction, to the microsecond: rows written here have that time.
  occurred_at: "now",
});

/** The progress of these Milestones. */
async function percents(tx: Queries, ids: readonly string[]): Promise<Map<string, number | null>> {
  const read = await settle(ids.map((milestone_id) => milestone("work:read").load(tx, { milestone_id }, false)));
  const percentOf = (json: string) => (JSON.parse(json) as { progress: { percent: number | null } }).progress.percent;
  return new Map(read.flatMap((found) => (found ? [[found.id, percentOf(found.json)]] : [])));
}
/** Milestones of the changed Tasks, each with the last change that affects it. */
function milestonesOf(done: readonly (NestedResult | Refusal)[]): Map<string, number> {
  const last = new Map<string, number>();
  for (const [at, each] of done.entries()) {
    if (each instanceof Refusal) continue;
    const { json } = (each.target ?? {}) as { json?: string };
    const was = json ? (JSON.parse(json) as ChangeFields).milestone_id : null;
    for (const id of [was, each.answer?.milestone_id]) if (typeof id === "string") last.set(id, at);
  }
  return last;
}
