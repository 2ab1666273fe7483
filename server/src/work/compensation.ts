// Undoing and redoing: the effects of the last command of a chain are taken back, each by its inverse, in one transaction that is itself a
// command with events and a receipt of its own. Redoing is undoing what undid.
import type { OperationReceipt } from "@svc/contract/work/receipts.ts";
import type { Static } from "typebox";
import type { Fact } from "../kernel/events.ts";
import type { Context } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import type { Done, Inverse } from "./conflict.ts";
import { inverses } from "./inverses.ts";
import { lastOf, stateRefusal, type Way } from "./rules.ts";
import { addStep, type Command, type Told } from "./store.ts";
import { receiptView } from "./view.ts";

/** Why none of it can be taken back, as far as that is known without trying. */
function hindrance(effects: readonly Told[]): "not_undoable" | "undo_conflict" | null {
  if (effects.length === 0 || effects.some(({ type }) => !inverses.has(type))) return "not_undoable";
  return effects.every(({ seen }) => seen) ? null : "undo_conflict";
}

export function receiptOf(command: Command): Static<typeof OperationReceipt> {
  const possible = (way: Way) => {
    const reason = stateRefusal(way, command) ?? hindrance(command.last);
    return { possible: reason === null, reason };
  };
  return receiptView(command, possible("undo"), possible("redo"));
}

export async function compensate(context: Context, command: Command, way: Way, operation: string) {
  const refused = stateRefusal(way, command) ?? (hindrance(command.last) === "not_undoable" ? "not_undoable" : null);
  if (refused) refuse(refused);
  const facts: Fact[] = [];
  const watched: Context = {
    ...context,
    record(fact) {
      facts.push(fact);
      context.record(fact);
    },
  };
  const done = command.last.map((told, place) => ({ ...told, place })).toReversed();
  for (const [inverse, own] of Map.groupBy(done, ({ type }) => inverses.get(type) as Inverse))
    await inverse(watched, own);
  // What changed nothing leaves nothing to take back.
  if (facts.length === 0) refuse("not_undoable");
  return stepFrom(context, command, done, facts, operation);
}

/** The command that this one is, as its receipt will tell of it. */
function stepFrom(
  { tx, principal, commandId, defer }: Context,
  command: Command,
  done: readonly Done[],
  facts: readonly Fact[],
  operation: string,
) {
  const { root_id } = command;
  const before = lastOf(command);
  const step = before.step + 1;
  defer(addStep(tx, root_id, before, commandId));
  const codes = new Map(done.map(({ task_id, code }) => [task_id, code]));
  const effects = facts.map(({ type, subject, payload }): Told => {
    const task_id = subject.taskId ?? null;
    const moved = type === "task.moved" ? (payload.to as { code: string }).code : undefined;
    const code = moved ?? codes.get(task_id) ?? null;
    return { type, kind: subject.kind, id: subject.id, task_id, seen: true, code, payload };
  });
  const links = [{ id: commandId, step }, before];
  const made = { id: commandId, operation, credential_kind: principal.kind, occurred_at: principal.now };
  return receiptOf({ ...made, root_id, step, links, undoes: before.id, effects, last: effects });
}
