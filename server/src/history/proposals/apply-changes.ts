// Performs the changes of a ChangeSet in order, each by its operation. No change waits for the writes of the previous
// one: the connection preserves the order. Targets were loaded and locked together; a target that an earlier change has
// touched since is loaded again.
import type { ActionName } from "@svc/contract/history/proposals/actions.ts";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { type NestedResult, perform } from "../../platform/kernel/nested-operation.ts";
import type { Planned } from "./actions.ts";
import { type CurrentState, idOf } from "./current-state.ts";

/** Actions whose facts name everything that they touch. After any other action, all later targets are loaded again. */
const TELLING: ReadonlySet<ActionName> = new Set<ActionName>([
  ...(["task.create", "task.update", "task.assign", "task.label"] as const),
  ...(["comment.create", "comment.update"] as const),
  ...(["time_entry.create", "time_entry.update", "time_entry.delete"] as const),
]);

export type ApplyOutcome = { done: NestedResult[] } | { at: number; error: unknown };

/** Performs all changes. If one fails, the transaction must roll the others back. */
export async function performAll(
  context: Context,
  planned: readonly Planned[],
  found: readonly CurrentState[],
): Promise<ApplyOutcome> {
  const done: NestedResult[] = [];
  const touched = new Set<unknown>();
  let fault: { at: number; error: unknown } | null = null;
  let known = true;
  for (const [at, each] of planned.entries()) {
    const target = known && !touched.has(idOf(each)) ? found[at] : undefined;
    try {
      done.push(await perform(context, each.implementation, each.step, target));
    } catch (error) {
      fault = { at, error };
      break;
    }
    for (const { subject } of done.at(-1)?.facts ?? []) touched.add(subject.id).add(subject.taskId);
    known &&= TELLING.has(each.change.action);
  }
  // An earlier write may be the cause of the last failure.
  for (const [at, { written }] of done.entries())
    try {
      await written;
    } catch (error) {
      return { at, error };
    }
  return fault ?? { done };
}
