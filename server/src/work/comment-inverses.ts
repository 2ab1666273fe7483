// Undoing what was done to comments. A deleted comment is gone for good, so that deleting one is not undone, nor is a creation redone.
import type { CommentRow } from "@svc/contract/comments/comments.ts";
import type { Static } from "typebox";
import { type CommentTarget, comment } from "../comments/access.ts";
import { deleteComment, editComment, react, unreact } from "../comments/change.ts";
import type { CommentAction } from "../comments/rules.ts";
import { commentTexts } from "../comments/store.ts";
import { settle } from "../kernel/context.ts";
import type { Context } from "../kernel/implement.ts";
import { conflict, type Done, hindered, type Inverse, movedOn, reach, withoutHindrance } from "./conflict.ts";

const fieldsOf = ({ json }: CommentTarget) => JSON.parse(json) as Static<typeof CommentRow>;
const reachComment = (context: Context, done: Done, action: CommentAction) =>
  reach(context, done, comment(action), { comment_id: done.id });

/** The comment where it still has the text that it got with revision `to`, and the text that it had at `from`. */
async function withText(context: Context, done: Done, action: CommentAction, from: unknown, to: unknown) {
  const reading = commentTexts(context.tx, context.member.workspaceId, done.id, from, to);
  const [target, { was, made }] = await settle([reachComment(context, done, action), reading]);
  if (target.deleted) conflict([hindered(done, "", "comment_deleted", "is deleted")]);
  if (made !== null && made !== fieldsOf(target).markdown) conflict([movedOn(done, "markdown")]);
  return { target, was };
}

export const undoCommentsCreated: Inverse = async (context, done) => {
  for (const each of done)
    await deleteComment(context, (await withText(context, each, "comment:delete", null, "1")).target);
};

export const undoCommentsUpdated: Inverse = async (context, done) => {
  for (const each of done) {
    const { from, to } = each.payload;
    const { target, was } = await withText(context, each, "comment:update", from, to);
    await withoutHindrance(each, () => editComment(context, target, was as string));
  }
};

const reactions =
  (added: boolean): Inverse =>
  async (context, done) => {
    for (const each of done) {
      const target = await reachComment(context, each, "comment:react");
      const { reaction } = each.payload as { reaction: string };
      const mine = fieldsOf(target).reactions.some((given) => given.reaction === reaction && given.reacted);
      if (mine !== added) conflict([movedOn(each, "reaction")]);
      await withoutHindrance<unknown>(each, () => (added ? unreact : react)(context, target, reaction));
    }
  };
export const undoReactionsAdded = reactions(true);
export const undoReactionsRemoved = reactions(false);
