// Events of relations between Tasks, one for each end, so that both Tasks' histories contain it; and of Task
// subscriptions, which no feed shows.
import { event, type Fact } from "../../../platform/kernel/events.ts";
import { type Ends, isBlocking, type Type, typeSeen } from "./rules.ts";

const both = (type: `${string}.${string}`) => ({
  blocking: event(type, { activity: "blocking_dependency" }),
  other: event(type),
});
const added = both("task.relation_added");
const changed = both("task.relation_changed");
const removed = both("task.relation_removed");

export const taskSubscriptionChanged = event("task.subscription_changed");

/** A relation, and the Project of each end. */
export interface RelationEnds {
  id: string;
  projectOf: Record<string, string>;
}

function facts(
  fact: typeof added,
  { id, projectOf }: RelationEnds,
  ends: Ends,
  tell: (taskId: string) => Record<string, Type>,
): Fact[] {
  return [
    [ends.from, ends.to],
    [ends.to, ends.from],
  ].map(([taskId, related_task_id]) => {
    const told = tell(taskId as string);
    const subject = { kind: "task", id: taskId as string, projectId: projectOf[taskId as string], taskId };
    const record = Object.values(told).some(isBlocking) ? fact.blocking : fact.other;
    return record(subject, { relation_id: id, related_task_id, ...told });
  });
}

export const relationAdded = (related: RelationEnds, ends: Ends) =>
  facts(added, related, ends, (taskId) => ({ type: typeSeen(ends, taskId) }));
export const relationChanged = (related: RelationEnds, before: Ends, after: Ends) =>
  facts(changed, related, after, (taskId) => ({ from: typeSeen(before, taskId), to: typeSeen(after, taskId) }));
export const relationRemoved = (related: RelationEnds, ends: Ends) =>
  facts(removed, related, ends, (taskId) => ({ type: typeSeen(ends, taskId) }));
