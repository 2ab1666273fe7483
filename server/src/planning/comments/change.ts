// Changes of a comment, shared by every operation: edit, delete, react, remove a reaction. The caller has locked the
// comment and checked the permission.
import type { CommentRow } from "@svc/contract/planning/comments/comments.ts";
import type { Static } from "typebox";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import type { CommentTarget } from "./access.ts";
import { subjectOf } from "./creation.ts";
import { commentDeleted, commentUpdated, reactionAdded, reactionRemoved } from "./events.ts";
import * as store from "./store.ts";

/** Refuses a deleted comment, and one whose Task is in the trash. */
export function requireLiving(target: CommentTarget): void {
  if (target.deleted) refuse("comment_deleted");
  if (target.trashed) refuse("task_trashed");
}

export const fieldsOf = ({ json }: CommentTarget) => JSON.parse(json) as Static<typeof CommentRow>;

/** Undefined if the text does not change. Stores the former text under its revision. */
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

/**
 * Adds a reaction that the caller is known not to have (the next function removes one that the caller has). If that has
 * changed concurrently, the request is retried.
 */
export function reactAnew({ tx, member, record, defer }: Context, target: CommentTarget, reaction: string): void {
  defer(store.addNewReaction(tx, member.workspaceId, member.actorId, target.id, reaction));
  record(reactionAdded(subjectOf(target), { reaction }));
}
export function unreactOwn({ tx, member, record, defer }: Context, target: CommentTarget, reaction: string): void {
  defer(store.removeOwnReaction(tx, member.workspaceId, target.id, reaction, member.actorId));
  record(reactionRemoved(subjectOf(target), { reaction }));
}
