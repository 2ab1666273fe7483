// Comments on Tasks: list, create, read, edit, delete, react. A deleted comment stays as a tombstone that refuses everything but
// being read and being deleted again; what lies in the trash takes no new words.
import * as contract from "@svc/contract/comments/comments.ts";
import { NIL } from "../kernel/ids.ts";
import { implement, implementList } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import { insideTask } from "../tasks/access.ts";
import { type CommentTarget, comment, commentCapabilities } from "./access.ts";
import { commentOn, subjectOf } from "./creation.ts";
import { commentDeleted, commentUpdated, reactionAdded, reactionRemoved } from "./events.ts";
import * as store from "./store.ts";

function requireLiving(target: CommentTarget): void {
  if (target.deleted) refuse("comment_deleted");
  if (target.trashed) refuse("task_trashed");
}

export const listTaskComments = implementList(
  contract.listTaskComments,
  insideTask("work:read"),
  (tx, { params, page }) => {
    const after = (page.after ?? ["-infinity", NIL]) as [string, string];
    return store.listComments(tx, params.task_id, after, page.limit + 1);
  },
);

export const createTaskComment = implement(
  contract.createTaskComment,
  insideTask("work:write"),
  async (context, { target, body }) => {
    const created = commentOn(context, target, body.markdown);
    return render(created, commentCapabilities(context, created));
  },
);

export const getComment = implement(contract.getComment, comment("read"), async (context, { target }) =>
  render(target, commentCapabilities(context, target)),
);

export const updateComment = implement(contract.updateComment, comment("edit"), async (context, { target, body }) => {
  const { tx, member, record } = context;
  requireLiving(target);
  const row = await store.updateComment(tx, member.workspaceId, target.id, body.markdown);
  if (row) record(commentUpdated(subjectOf(target)));
  return render(row ?? target, commentCapabilities(context, target));
});

export const deleteComment = implement(contract.deleteComment, comment("delete"), async (context, { target }) => {
  if (target.deleted) return;
  await store.deleteComment(context.tx, context.member.workspaceId, target.id);
  context.record(commentDeleted(subjectOf(target)));
});

export const addReaction = implement(contract.addReaction, comment("react"), async (context, { target, params }) => {
  const { tx, member, record } = context;
  requireLiving(target);
  const { reaction } = params;
  const { row, added, reacted } = await store.addReaction(tx, member.workspaceId, member.actorId, target.id, reaction);
  if (!reacted) refuse("limit_reached");
  if (added) record(reactionAdded(subjectOf(target), { reaction }));
  return render(row, commentCapabilities(context, target));
});

export const removeReaction = implement(
  contract.removeReaction,
  comment("react"),
  async ({ tx, member, record }, { target, params }) => {
    const { reaction } = params;
    const removed = await store.removeReaction(tx, member.workspaceId, member.actorId, target.id, reaction);
    if (removed) record(reactionRemoved(subjectOf(target), { reaction }));
  },
);
