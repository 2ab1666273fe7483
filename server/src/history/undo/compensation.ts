// Undo and redo: reverts the effects of the last command of a chain, each by its inverse, in one transaction that is
// itself a command with events and a receipt. Redo undoes the undo. One function decides whether that is possible, for
// the operation and for receipts that predict it.
import type { OperationReceipt } from "@svc/contract/history/undo/receipts.ts";
import type { Static } from "typebox";
import { settle } from "../../platform/kernel/context.ts";
import type { Fact } from "../../platform/kernel/events.ts";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { watched } from "../../platform/kernel/nested-operation.ts";
import { Refusal, refuse } from "../../platform/wire/problem.ts";
import { type Inverse, type OrderedEffect, same } from "./conflict.ts";
import { inverses } from "./inverses/inverses.ts";
import { lastOf, stateRefusal, type Way } from "./rules.ts";
import { addStep, type Command, type Here, type RecordedEffect } from "./store.ts";
import { receiptView } from "./view.ts";

/** A creation can be undone whatever its payload contains. */
const CREATIONS = ["task.created", "task.comment.created", "document.created"];
/** Whether the event changed nothing, or its payload was erased with its Project. */
const isSilent = ({ type, payload }: RecordedEffect) =>
  !CREATIONS.includes(type) &&
  (Object.keys(payload).length === 0 || ("from" in payload && same(payload.from, payload.to)));

const MOVED = "task.moved";
/**
 * Selects the effects to revert. Effects on a Task or Document that the same command created are skipped: the trash
 * takes and restores them with it. A relation is also recorded for the other Task, so it is removed. Moves come last,
 * because the other inverses write at the revision that they loaded.
 */
function effectsOf({ last }: Command): OrderedEffect[] {
  const makes = ({ type }: RecordedEffect) => type === "task.created" || type === "document.created";
  const made = new Set(last.filter(makes).map(({ id }) => id));
  const madeWith = ({ kind, id, task_id }: RecordedEffect) => made.has(kind === "document" ? id : (task_id ?? ""));
  return last
    .map((told, place) => ({ ...told, place, beside: last }))
    .filter((told) => makes(told) || !madeWith(told))
    .toReversed()
    .toSorted((one, other) => Number(one.type === MOVED) - Number(other.type === MOVED));
}

/**
 * Refuses effects that cannot be reverted under current rules and rights. With `change`, locks the targets and returns
 * the writes.
 */
async function prepare(context: Context, command: Command, way: Way, change: boolean): Promise<(() => void)[]> {
  const done = effectsOf(command);
  const refused = stateRefusal(way, command);
  if (refused) refuse(refused);
  if (done.length === 0 || done.some(({ type }) => !inverses.has(type))) refuse("not_undoable");
  // A resource that is no longer readable is reported where it is compared.
  if (done.every(({ seen }) => seen) && done.some(isSilent)) refuse("not_undoable");
  const groups = [...Map.groupBy(done, ({ type }) => inverses.get(type) as Inverse)];
  return settle(groups.map(([inverse, own]) => inverse(context, own, change)));
}

type Receipt = Static<typeof OperationReceipt>;
async function possible(context: Context, command: Command, way: Way): Promise<Receipt["undo"]> {
  try {
    await prepare(context, command, way, false);
    return { possible: true, reason: null, errors: [] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { possible: false, reason: error.code as Receipt["undo"]["reason"], errors: error.extra.errors ?? [] };
  }
}

export async function receiptOf(context: Context, command: Command): Promise<Receipt> {
  const [undo, redo] = await settle([possible(context, command, "undo"), possible(context, command, "redo")]);
  return receiptView(command, undo, redo);
}

export async function compensate(context: Context, command: Command, way: Way, operation: string): Promise<Receipt> {
  const { here, facts, written } = watched(context);
  for (const apply of await prepare(here, command, way, true)) apply();
  const receipt = receiptOf(context, stepFrom(here, command, facts, operation));
  // If a write fails, all later queries fail too; the write's error is the cause.
  await settle([...written, receipt]);
  return receipt;
}

/** Builds the command of this step, as its receipt shows it. */
function stepFrom(
  { tx, principal, commandId, defer }: Context,
  command: Command,
  facts: readonly Fact[],
  operation: string,
): Command {
  const { root_id } = command;
  const before = lastOf(command);
  const step = before.step + 1;
  defer(addStep(tx, root_id, before, commandId));
  const places = new Map(command.last.map(({ task_id, code, here }) => [task_id, { code, here }]));
  const moves = new Map(
    facts
      .filter(({ type }) => type === MOVED)
      .map(({ subject, payload }) => [subject.taskId, payload.to as Here & { code: string }]),
  );
  const effects = facts.map(({ type, subject, payload }): RecordedEffect => {
    const task_id = subject.taskId ?? null;
    const moved = moves.get(task_id);
    const { code = null, here = null } = places.get(task_id) ?? {};
    const at = { code: moved?.code ?? code, here: moved ?? here };
    const project_id = subject.projectId ?? null;
    return { type, kind: subject.kind, id: subject.id, task_id, project_id, seen: true, ...at, payload };
  });
  const links = [{ id: commandId, step }, before];
  const made = { id: commandId, operation, credential_kind: principal.kind, occurred_at: principal.now };
  return { ...made, root_id, step, links, undoes: before.id, effects, last: effects };
}
