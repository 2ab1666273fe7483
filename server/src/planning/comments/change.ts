// What every change of a comment does, whichever operation asks for it: edit, delete, react, take a reaction back. The comment is locked, and
// that the caller may is found out before.
import type { CommentRow } from "@svc/contract/planning/comments/comments.ts";
import type { Static } from "typebox";
import type { Context } from "../../platform/kernel/implement.ts";
import { refuse } from "../../platform/wire/problem.ts";
import type { CommentTarget } from "./access.ts";
import { subjectOf } from "./creation.ts";
import { commentDeleted, commentUpdated, reactionAdded, reactionRemoved } from "./events.ts";
import * as store from "./store.ts";

/** A tombstone refuses everything but being read and being deleted again; what lies in the trash takes no new words. */
export function requireLiving(target: CommentTarget): void {
  if (target.deleted) refuse("comment_deleted");
  if (target.trashed) refuse("task_trashed");
}

export const fieldsOf = ({ json }: CommentTarget) => JSON.parse(json) as Static<typeof CommentRow>;

/** Nothing where it has the text already. The text that was is kept under the revision that had it. */
export async function editComment({ tx, member, record }: Context, target: CommentTarget, markdown: string) {
  requireLiving(target);
  if (fieldsOf(target).markdown === markdown) return undefined;
  const to = String(BigInt(target.revision) + 1n);
  record(commentUpdated(subjectOf(target), { from: target.revision, to }));
  return store.updateComment(tx, member.workspaceId, target.id, markdown);
}

export function deleteComment({ tx, member, record, defer }: Context, target: CommentTarget): void {
  defer(store.deleteComment(tx, member.workspaceId, target.id));
  record(commentDeleted(subjectOf(target), { from: target.revision, to: null }));
}

export async function react({ tx, member, record }: Context, target: CommentTarget, reaction: string) {
  requireLiving(target);
  const { row, added, reacted } = await store.addReaction(tx, member.workspaceId, member.actorId, target.id, reaction);
  if (!reacted) refuse("limit_reached");
  if (added) record(reactionAdded(subjectOf(target), { reaction }));
  return row;
}

export async function unreact({ tx, member, record }: Context, target: CommentTarget, reaction: string): Promise<void> {
  const removed = await store.removeReaction(tx, member.workspaceId, member.actorId, target.id, reaction);
  if (removed) record(reactionRemoved(subjectOf(target), { reaction }));
}

/** That of somebody who was found not to have it, or to have it. Where that has changed meanwhile, the request is tried again. */
export function reactAnew({ tx, member, record, defer }: Context, target: CommentTarget, reaction: string): void {
  defer(store.addNewReaction(tx, member.workspaceId, member.actorId, target.id, reaction));
  record(reactionAdded(subjectOf(target), { reaction }));
}
export function unreactOwn({ tx, member, record, defer }: Context, target: CommentTarget, reaction: string): void {
  defer(store.removeOwnReaction(tx, member.workspaceId, target.id, reaction, member.actorId));
  record(reactionRemoved(subjectOf(target), { reaction }));
}
