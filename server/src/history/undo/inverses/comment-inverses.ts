// Inverses of changes to comments. Deleting a comment is final: a deletion cannot be undone, nor a creation redone.
import { type CommentTarget, comment } from "../../../planning/comments/access.ts";
import {
  deleteComment,
  editComment,
  fieldsOf,
  reactAnew,
  requireLiving,
  unreactOwn,
} from "../../../planning/comments/change.ts";
import { type CommentAction, MOST_REACTIONS } from "../../../planning/comments/rules.ts";
import { commentTexts } from "../../../planning/comments/store.ts";
import { settle } from "../../../platform/kernel/context.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import {
  conflict,
  each,
  hindered,
  type Inverse,
  movedOn,
  type OrderedEffect,
  reach,
  withoutHindrance,
} from "../conflict.ts";

const reachComment = (context: Context, done: OrderedEffect, action: CommentAction, change: boolean) =>
  reach(context, done, comment(action), { comment_id: done.id }, change);

/** Loads the comment, which must still have its text of revision `to`, and its text at `from`. */
async function withText(
  context: Context,
  done: OrderedEffect,
  reached: Promise<CommentTarget>,
  { from, to }: { from?: unknown; to?: unknown },
) {
  const reading = commentTexts(context.tx, context.member.workspaceId, done.id, from, to);
  const [target, { was, made }] = await settle([reached, reading]);
  if (target.deleted) conflict([hindered(done, "", "comment_deleted", "is deleted")]);
  if (made !== null && made !== fieldsOf(target).markdown) conflict([movedOn(done, "markdown")]);
  return { target, was };
}

export const undoCommentsCreated: Inverse = each(async (context, done, change) => {
  const reached = reachComment(context, done, "comment:delete", change);
  const { target } = await withText(context, done, reached, { from: null, to: "1" });
  return () => deleteComment(context, target);
});

export const undoCommentsUpdated: Inverse = each(async (context, done, change) => {
  const reached = reachComment(context, done, "comment:update", change);
  const { target, was } = await withText(context, done, reached, done.payload);
  await withoutHindrance(done, () => requireLiving(target));
  return () => context.defer(editComment(context, target, was as string));
});

const reactions = (added: boolean): Inverse =>
  each(async (context, done, change) => {
    const target = await reachComment(context, done, "comment:react", change);
    const { reaction } = done.payload as { reaction: string };
    const given = fieldsOf(target).reactions;
    if (given.some((own) => own.reaction === reaction && own.reacted) !== added) conflict([movedOn(done, "reaction")]);
    if (added) return () => unreactOwn(context, target, reaction);
    await withoutHindrance(done, () => {
      requireLiving(target);
      if (given.filter((other) => other.reaction !== reaction).length >= MOST_REACTIONS) refuse("limit_reached");
    });
    return () => reactAnew(context, target, reaction);
  });
export const undoReactionsAdded = reactions(true);
export const undoReactionsRemoved = reactions(false);
