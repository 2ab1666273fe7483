// Undoing and redoing: the effects of the last command of a chain are taken back, each by its inverse, in one transaction that is itself a
// command with events and a receipt of its own. Redoing is undoing what undid. Whether that is possible is decided in one place, for those
// who do it and for the receipts that say it beforehand.
import type { OperationReceipt } from "@svc/contract/history/undo/receipts.ts";
import type { Static } from "typebox";
import { settle } from "../../platform/kernel/context.ts";
import type { Fact } from "../../platform/kernel/events.ts";
import type { Context } from "../../platform/kernel/implement.ts";
import { watched } from "../../platform/kernel/perform.ts";
import { Refusal, refuse } from "../../platform/wire/problem.ts";
import { type Done, type Inverse, same } from "./conflict.ts";
import { inverses } from "./inverses.ts";
import { lastOf, stateRefusal, type Way } from "./rules.ts";
import { addStep, type Command, type Here, type Told } from "./store.ts";
import { receiptView } from "./view.ts";

/** What is created can go whatever is told of it. */
const CREATIONS = ["task.created", "task.comment.created", "document.created"];
/** It changed nothing, or nothing is told of it any more: it happened in a Project that was erased since. */
const isSilent = ({ type, payload }: Told) =>
  !CREATIONS.includes(type) &&
  (Object.keys(payload).length === 0 || ("from" in payload && same(payload.from, payload.to)));

const MOVED = "task.moved";
/**
 * What a Task or a Document was made with goes into the trash with it, and comes back with it. A relation is told of the other Task as well, and ends.
 * Moves come last: what else is put back is put back at the revision that was looked at.
 */
function effectsOf({ last }: Command): Done[] {
  const makes = ({ type }: Told) => type === "task.created" || type === "document.created";
  const made = new Set(last.filter(makes).map(({ id }) => id));
  const madeWith = ({ kind, id, task_id }: Told) => made.has(kind === "document" ? id : (task_id ?? ""));
  return last
    .map((told, place) => ({ ...told, place, beside: last }))
    .filter((told) => makes(told) || !madeWith(told))
    .toReversed()
    .toSorted((one, other) => Number(one.type === MOVED) - Number(other.type === MOVED));
}

/** Refuses what cannot be taken back, under today's rules and rights; where it is about to be, it is locked, and this gives how. */
async function prepare(context: Context, command: Command, way: Way, change: boolean): Promise<(() => void)[]> {
  const done = effectsOf(command);
  const refused = stateRefusal(way, command);
  if (refused) refuse(refused);
  if (done.length === 0 || done.some(({ type }) => !inverses.has(type))) refuse("not_undoable");
  // What cannot be read any more is named where it is compared.
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
  // Where a write fails, all that is asked after it fails too, and the write is the reason.
  await settle([...written, receipt]);
  return receipt;
}

/** The command that this one is, as its receipt will tell of it. */
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
  const effects = facts.map(({ type, subject, payload }): Told => {
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
