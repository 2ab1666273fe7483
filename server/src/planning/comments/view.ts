// Wire representation of comments. The query must provide the comment as c; each reaction says whether the reader has
// it.
import { CommentRow } from "@svc/contract/planning/comments/comments.ts";
import { view } from "../../platform/database/view.ts";

/** Reactions of comment c, with whether the reader has each. */
export const reactionsOf = `(
  select coalesce(json_agg(json_build_object('reaction', r.reaction, 'count', r.count, 'reacted', r.reacted)
    order by r.first, r.reaction), '[]')
  from (
    select reaction, count(*) as count, bool_or(actor_id = current_actor()) as reacted, min(created_at) as first
    from comment_reactions where workspace_id = c.workspace_id and comment_id = c.id group by reaction
  ) r)`;

/** A new comment has no reactions yet. */
export const newCommentView = view(CommentRow, "c", { reactions: "'[]'::json" });
export const commentView = view(CommentRow, "c", { reactions: reactionsOf });
