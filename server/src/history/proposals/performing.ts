// All changes of a ChangeSet in their order, each by its operation. None waits for what the one before writes: the connection keeps the order. What
// each is about was found and locked for all of them at once; what an earlier change has touched since is looked up again.
import type { ActionName } from "@svc/contract/history/proposals/actions.ts";
import type { Context } from "../../platform/kernel/implement.ts";
import { type Performed, perform } from "../../platform/kernel/perform.ts";
import type { Planned } from "./actions.ts";
import { type Found, idOf } from "./looking.ts";

/** These tell in their facts of everything that they touch. After any other, all that comes is looked up again. */
const TELLING: ReadonlySet<ActionName> = new Set<ActionName>([
  ...(["task.create", "task.update", "task.assign", "task.label"] as const),
  ...(["comment.create", "comment.update"] as const),
  ...(["time_entry.create", "time_entry.update", "time_entry.delete"] as const),
]);

export type Outcome = { done: Performed[] } | { at: number; error: unknown };

/** Where one of them fails, the others have come to nothing. */
export async function performAll(
  context: Context,
  planned: readonly Planned[],
  found: readonly Found[],
): Promise<Outcome> {
  const done: Performed[] = [];
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
  // What was written before may be why the last one failed.
  for (const [at, { written }] of done.entries())
    try {
      await written;
    } catch (error) {
      return { at, error };
    }
  return fault ?? { done };
}
