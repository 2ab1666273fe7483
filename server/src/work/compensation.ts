// Undoing and redoing: the effects of the last command of a chain are taken back, each by its inverse, in one transaction that is itself a
// command with events and a receipt of its own. Redoing is undoing what undid.
import type { OperationReceipt } from "@svc/contract/work/receipts.ts";
import type { Static } from "typebox";
import type { Role } from "../kernel/authenticate.ts";
import type { Fact } from "../kernel/events.ts";
import type { Context } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import { type Done, type Inverse, same } from "./conflict.ts";
import { inverses } from "./inverses.ts";
import { lastOf, permitted, stateRefusal, type Way } from "./rules.ts";
import { addStep, type Command, type Told } from "./store.ts";
import { receiptView } from "./view.ts";

/** What is created can go whatever is told of it. */
const CREATIONS = ["task.created", "task.comment.created"];
/** It changed nothing, or nothing is told of it any more: it happened in a Project that was erased since. */
const isSilent = ({ type, payload }: Told) =>
  !CREATIONS.includes(type) &&
  (Object.keys(payload).length === 0 || ("from" in payload && same(payload.from, payload.to)));

/** Why none of it can be taken back, as far as that is known without trying. */
function hindrance(effects: readonly Told[], role: Role): "not_undoable" | "undo_conflict" | "forbidden" | null {
  if (effects.length === 0 || effects.some(({ type }) => !inverses.has(type))) return "not_undoable";
  if (!effects.every(({ seen }) => seen)) return "undo_conflict";
  if (effects.some(isSilent)) return "not_undoable";
  return permitted(effects, role) ? null : "forbidden";
}

export function receiptOf(command: Command, role: Role): Static<typeof OperationReceipt> {
  const possible = (way: Way) => {
    const reason = stateRefusal(way, command) ?? hindrance(command.last, role);
    return { possible: reason === null, reason };
  };
  return receiptView(command, possible("undo"), possible("redo"));
}

export async function compensate(context: Context, command: Command, way: Way, operation: string) {
  const refused = stateRefusal(way, command) ?? hindrance(command.last, context.member.role);
  // What is in the way is found where it is compared, and named.
  if (refused && refused !== "undo_conflict") refuse(refused);
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
  return stepFrom(context, command, done, facts, operation);
}

/** The command that this one is, as its receipt will tell of it. */
function stepFrom(
  { tx, principal, member, commandId, defer }: Context,
  command: Command,
  done: readonly Done[],
  facts: readonly Fact[],
  operation: string,
) {
  const { root_id } = command;
  const before = lastOf(command);
  const step = before.step + 1;
  defer(addStep(tx, root_id, before, commandId));
  const places = new Map(done.map(({ task_id, code, role }) => [task_id, { code, role }]));
  const effects = facts.map(({ type, subject, payload }): Told => {
    const task_id = subject.taskId ?? null;
    const moved = type === "task.moved" ? (payload.to as { code: string }).code : undefined;
    const { code = null, role = null } = places.get(task_id) ?? {};
    return { type, kind: subject.kind, id: subject.id, task_id, seen: true, role, code: moved ?? code, payload };
  });
  const links = [{ id: commandId, step }, before];
  const made = { id: commandId, operation, credential_kind: principal.kind, occurred_at: principal.now };
  return receiptOf({ ...made, root_id, step, links, undoes: before.id, effects, last: effects }, member.role);
}
