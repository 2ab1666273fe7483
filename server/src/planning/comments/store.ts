// SQL of comments and reactions. Changes rely on the row lock of the preceding load.
import type { Queries } from "../../platform/database/db.ts";
import { untilFull } from "../../platform/database/sql.ts";
import type { ListRow } from "../../platform/kernel/implement-operation.ts";
import { LAST_ID, NIL } from "../../platform/wire/ids.ts";
import { MOST_REACTIONS } from "./rules.ts";
import { commentView } from "./view.ts";

type Page = { after: readonly unknown[] | null; limit: number };
type Row = { json: string; revision: string };

export type CommentOrder = "asc" | "desc";
const sides = {
  asc: { after: ">", first: ["-infinity", NIL] },
  desc: { after: "<", first: ["infinity", LAST_ID] },
} as const;

// Sorted by creation time of the database's clock; a tombstone keeps its position.
const listSql = (view: string, taskId: string, before: number, order: CommentOrder) =>
  untilFull({
    rows: `select * from comments c
      where c.workspace_id = current_workspace() and c.task_id = ${taskId}
        and (c.created_at, c.id) ${sides[order].after} ($${before + 1}::timestamptz, $${before + 2}::uuid)
      order by c.created_at ${order}, c.id ${order} limit $${before + 3}`,
    alias: "c",
    text: "markdown",
    order: `c.created_at ${order}, c.id ${order}`,
    json: view,
    key: "json_build_array(c.created_at, c.id)::text",
  });
/** Lists comments c rendered by `view`. `taskId` is SQL that uses `parameters` parameters, the values of `named`. */
export const listCommentsAs = (view: string, taskId: string, parameters: number) => {
  const texts = { asc: listSql(view, taskId, parameters, "asc"), desc: listSql(view, taskId, parameters, "desc") };
  return (tx: Queries, named: readonly unknown[], order: CommentOrder = "asc", { after, limit }: Page) =>
    tx.rows<ListRow>(texts[order], [...named, ...(after ?? sides[order].first), limit + 1]);
};
export const listComments = listCommentsAs(commentView, "$1", 1);

const CREATE =
  "insert into comments (workspace_id, id, task_id, author_actor_id, markdown) values ($1, $3, $4, $2, $5)";
export const createComment = (
  tx: Queries,
  workspaceId: string,
  actorId: string,
  id: string,
  taskId: string,
  text: string,
) => tx.rows(CREATE, [workspaceId, actorId, id, taskId, text]);

const UPDATE = `
with kept as (
  insert into comment_revisions (workspace_id, comment_id, revision, markdown)
  select workspace_id, id, revision, markdown from comments where workspace_id = $1 and id = $2 and markdown <> $3
), c as (
  update comments set markdown = $3, revision = revision + 1, updated_at = now()
  where workspace_id = $1 and id = $2 and markdown <> $3 returning *
)
select ${commentView} as json, c.revision::text from c`;
/** The changed row; undefined if the text is the same. Archives the replaced text. */
export const updateComment = (tx: Queries, workspaceId: string, id: string, text: string) =>
  tx.maybe<Row>(UPDATE, [workspaceId, id, text]);

const TEXTS = `
select (select markdown from comment_revisions where workspace_id = $1 and comment_id = $2 and revision = $3) as was,
  (select markdown from comment_revisions where workspace_id = $1 and comment_id = $2 and revision >= $4
  order by revision limit 1) as made`;
/** The text of a comment at revision `from`, and the one set by revision `to`; null if that is the current one. */
export const commentTexts = (tx: Queries, workspaceId: string, id: string, from: unknown, to: unknown) =>
  tx.one<{ was: string | null; made: string | null }>(TEXTS, [workspaceId, id, from, to]);

const DELETE = `
with reactions as (delete from comment_reactions where workspace_id = $1 and comment_id = $2),
texts as (delete from comment_revisions where workspace_id = $1 and comment_id = $2)
update comments set markdown = '', deleted_at = now(), revision = revision + 1, updated_at = now()
where workspace_id = $1 and id = $2`;
/** Erases the text, its former versions and the reactions; the row stays as a tombstone. */
export const deleteComment = (tx: Queries, workspaceId: string, id: string) => tx.rows(DELETE, [workspaceId, id]);

// Reactions to one comment serialize on its row lock, so the limit holds under any interleaving and the clock orders
// first uses.
const REACT = `
insert into comment_reactions (workspace_id, comment_id, reaction, actor_id, created_at)
select $1, $3, $4, $2, clock_timestamp()
where (select count(distinct reaction) from comment_reactions
  where workspace_id = $1 and comment_id = $3 and reaction <> $4) < ${MOST_REACTIONS}
on conflict do nothing returning true as added`;
const REACTED = `
select ${commentView} as json, c.revision::text,
  exists (select from comment_reactions
    where workspace_id = $1 and comment_id = $3 and reaction = $4 and actor_id = $2) as reacted
from comments c where c.workspace_id = $1 and c.id = $3`;
/**
 * The comment afterwards, whether this added the reaction, and whether the Actor has it. If neither, the limit is
 * reached.
 */
export async function addReaction(tx: Queries, workspaceId: string, actorId: string, id: string, reaction: string) {
  const values = [workspaceId, actorId, id, reaction];
  const [added, row] = await Promise.all([
    tx.maybe(REACT, values),
    tx.one<Row & { reacted: boolean }>(REACTED, values),
  ]);
  return { row, added: added !== undefined, reacted: row.reacted };
}

const UNREACT = `
delete from comment_reactions where workspace_id = $1 and comment_id = $2 and reaction = $3 and actor_id = $4
returning true as removed`;
/** Whether a reaction was removed. */
export const removeReaction = async (tx: Queries, workspaceId: string, actorId: string, id: string, reaction: string) =>
  (await tx.maybe(UNREACT, [workspaceId, id, reaction, actorId])) !== undefined;

const surely = (change: string) =>
  `with done as (${change}) select changed_meanwhile() where not exists (select from done)`;
const [REACT_ANEW, UNREACT_OWN] = [surely(REACT), surely(UNREACT)];
/** Both fail if nothing changes, and the request is retried. */
export const addNewReaction = (tx: Queries, ...values: [string, string, string, string]) => tx.rows(REACT_ANEW, values);
export const removeOwnReaction = (tx: Queries, ...values: [string, string, string, string]) =>
  tx.rows(UNREACT_OWN, values);
