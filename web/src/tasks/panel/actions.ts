// Commands of the Task panel. Each is one operation of the service, applied optimistically.
import type { Replica } from "../../store/replica.ts";
import type { Comment, Relation, Subscription, Task } from "../../store/rows.ts";
import { plainId } from "./operations.ts";

export function comment(replica: Replica, taskId: string, markdown: string) {
  replica.make("createTaskComment", {
    input: { task_id: replica.store.real(taskId), markdown },
    guess: { author_actor_id: replica.member.actorId },
    creates: true,
  });
}
export const editComment = (replica: Replica, { id }: Comment, markdown: string) =>
  replica.make("updateComment", { ids: [id], input: { comment_id: replica.store.real(id), markdown } });
export const deleteComment = (replica: Replica, { id }: Comment) =>
  replica.make("deleteComment", { ids: [id], input: { comment_id: replica.store.real(id) } });
export function toggleReaction(replica: Replica, { id, reactions }: Comment, reaction: string) {
  const mine = reactions.some((each) => each.reaction === reaction && each.reacted);
  const input = { comment_id: replica.store.real(id), reaction };
  replica.make(mine ? "removeReaction" : "addReaction", { ids: [id], input });
}

export function relate(replica: Replica, taskId: string, type: Relation["kind"], related: Relation["related_task"]) {
  const { store, member } = replica;
  replica.make("createTaskRelation", {
    input: { task_id: store.real(taskId), type, related_task_id: related.id },
    guess: { related_task: related, created_by_actor_id: member.actorId },
    creates: true,
  });
}
export const unrelate = (replica: Replica, { id }: Relation) =>
  replica.make("deleteTaskRelation", { ids: [id], input: { relation_id: plainId(id) } });

export const deleteFile = (replica: Replica, id: string) =>
  replica.make("deleteAttachment", { ids: [id], input: { attachment_id: id } });

export function recordTime(
  replica: Replica,
  { id, code, title }: Task,
  entry: { duration: string; work_date: string; note: string },
) {
  const { store, member } = replica;
  const { note, ...fields } = entry;
  replica.make("createTimeEntry", {
    input: { task_id: store.real(id), ...fields, ...(note && { note }) },
    guess: {
      actor_id: member.actorId,
      task_code: code,
      task_title: title,
      display_name: store.get("person", member.actorId)?.display_name ?? null,
    },
    creates: true,
  });
}
export const voidTime = (replica: Replica, id: string) =>
  replica.make("deleteTimeEntry", { ids: [id], input: { entry_id: replica.store.real(id) } });

const asks = { following: "followTask", muted: "muteTask", none: "unfollowTask" } as const;
export const subscribe = (replica: Replica, { id }: Subscription, to: Subscription["state"]) =>
  replica.make(asks[to], { ids: [id], input: { task_id: id } });

/** Restores an earlier revision of the description. */
export const restoreDescription = (replica: Replica, { id }: Task, revision: string, description_markdown: string) =>
  replica.make("restoreTaskDescription", {
    ids: [id],
    input: { task_id: id, revision },
    guess: { description_markdown },
  });
