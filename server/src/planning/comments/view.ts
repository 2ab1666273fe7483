// Comments on the wire. The query gives the comment as c; a reaction says whether it is the reader's.
import { CommentRow } from "@svc/contract/planning/comments/comments.ts";
import { view } from "../../platform/database/view.ts";

/** Those of comment c, with whether one of each is the reader's. */
export const reactionsOf = `(
  select coalesce(json_agg(json_build_object('reaction', r.reaction, 'count', r.count, 'reacted', r.reacted) order by r.first, r.reaction), '[]')
  from (
    select reaction, count(*) as count, bool_or(actor_id = current_actor()) as reacted, min(created_at) as first
    from comment_reactions where workspace_id = c.workspace_id and comment_id = c.id group by reaction
  ) r)`;

/** One that was just made has no reactions yet. */
export const newCommentView = view(CommentRow, "c", { reactions: "'[]'::json" });
export const commentView = view(CommentRow, "c", { reactions: reactionsOf });
