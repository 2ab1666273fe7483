// Comments on Tasks, in creation order. A deleted comment remains as an empty tombstone.
import Type from "typebox";
import { C, list, M, op, S, T } from "../../kit.ts";
import {
  Id,
  ListOrder,
  MarkdownBody,
  MarkdownText,
  nullable,
  object,
  Reaction,
  resource,
  single,
  Timestamp,
} from "../../types.ts";

const auth = [S, T, C, M] as const;

export const CommentRow = object({
  ...resource,
  task_id: Id,
  author_actor_id: Id,
  markdown: MarkdownText,
  deleted_at: nullable(Timestamp),
  reactions: Type.Array(object({ reaction: Reaction, count: Type.Integer({ minimum: 1 }), reacted: Type.Boolean() }), {
    maxItems: 20,
    description: "Reactions by name, in the order of first use; reacted is true if one of them is yours.",
  }),
});
export const Comment = single(CommentRow);

export const listTaskComments = list("GET /tasks/{task_id}/comments", "List the comments of a Task in creation order", {
  description:
    "order=desc lists the newest first. A page ends early once it holds 1 MiB of text: only has_more " +
    "indicates whether there are more.",
  auth,
  baseline: true,
  query: object({ order: Type.Optional(ListOrder) }),
  include: ["people", "task"],
  items: CommentRow,
});

export const createTaskComment = op("POST /tasks/{task_id}/comments", "Comment on a Task", {
  auth,
  status: 201,
  creates: "/comments/{id}",
  idempotencyKey: "required",
  body: object({ markdown: MarkdownBody }),
  example: { markdown: "The brass arrives **tomorrow**." },
  returns: Comment,
  errors: ["project_archived", "task_trashed"],
});

export const getComment = op("GET /comments/{comment_id}", "Read a comment", {
  auth,
  include: ["people", "task"],
  returns: Comment,
});

export const updateComment = op("PATCH /comments/{comment_id}", "Edit your comment", {
  description: "Only the author can edit a comment. Sending the current text changes nothing.",
  auth,
  ifMatch: "required",
  body: object({ markdown: MarkdownBody }),
  example: { markdown: "The brass arrives on Monday." },
  returns: Comment,
  errors: ["project_archived", "comment_deleted", "task_trashed"],
});

export const deleteComment = op("DELETE /comments/{comment_id}", "Delete a comment; its tombstone stays", {
  description:
    "Only the author, or someone who manages the work, can delete it. Removes the text, its earlier " +
    "versions and its reactions; an empty tombstone keeps its place. Deleting it again changes nothing.",
  auth,
  ifMatch: "optional",
  errors: ["project_archived"],
});

export const addReaction = op("PUT /comments/{comment_id}/reactions/{reaction}", "React to a comment", {
  description:
    "Reacting twice with the same name changes nothing. A comment has at most 20 distinct reaction " +
    "names. Reactions do not advance the revision, which belongs to the text.",
  auth,
  returns: Comment,
  errors: ["project_archived", "comment_deleted", "task_trashed", "limit_reached"],
});

export const removeReaction = op("DELETE /comments/{comment_id}/reactions/{reaction}", "Remove your reaction", {
  description: "Removing a reaction that does not exist changes nothing.",
  auth,
  errors: ["project_archived"],
});
