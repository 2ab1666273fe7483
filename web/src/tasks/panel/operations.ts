// Optimistic updates of a Task's comments, relations, attachments and subscription. `apply` is pure; a test compares it
// with the service's response.
import type { Client, Operations } from "@svc/client";
import type { Brought, Domain, Operation } from "../../store/domain.ts";
import { orGone } from "../../store/hints.ts";
import type { QueuedChange } from "../../store/queue/change.ts";
import type { Comment, Relation, RowKind, Rows, Subscription } from "../../store/rows.ts";

type Applied = Pick<QueuedChange, "input" | "guess" | "creates" | "madeAt">;
const nowOf = ({ madeAt }: Applied) => new Date(madeAt).toISOString();
const made = (change: Applied) => {
  const now = nowOf(change);
  return { id: change.creates as string, revision: "0", created_at: now, updated_at: now };
};
const operation = <K extends RowKind>(
  kind: K,
  apply: Operation<Rows[K]>["apply"],
  more: Partial<Operation<Rows[K]>> = {},
): Operation<never> => ({ kind, apply, ...more }) as unknown as Operation<never>;

// ---- comments -------------------------------------------------------------------------------------------------------

function say(_row: Comment | undefined, change: Applied): Comment {
  const { task_id, markdown } = change.input as { task_id: string; markdown: string };
  const author_actor_id = change.guess.author_actor_id as string;
  return { ...made(change), task_id, author_actor_id, markdown, deleted_at: null, reactions: [] };
}
const edit = (comment: Comment | undefined, change: Applied) =>
  comment && { ...comment, markdown: change.input.markdown as string, updated_at: nowOf(change) };
/** A deleted comment leaves an empty placeholder. */
const unsay = (comment: Comment | undefined, change: Applied) =>
  comment && { ...comment, markdown: "", reactions: [], deleted_at: nowOf(change), updated_at: nowOf(change) };
const react =
  (reacted: boolean) =>
  (comment: Comment | undefined, { input }: Applied) => {
    const known = comment?.reactions.find(({ reaction }) => reaction === input.reaction);
    if (!comment || (known?.reacted ?? false) === reacted) return comment;
    const reaction = input.reaction as Comment["reactions"][number]["reaction"];
    const count = (known?.count ?? 0) + (reacted ? 1 : -1);
    const next = { reaction, count, reacted };
    const others = comment.reactions.map((each) => (each === known ? next : each)).filter((each) => each.count > 0);
    return { ...comment, reactions: known ? others : [...others, next] };
  };
export const readComment = (api: Client, id: string) =>
  orGone(
    "comment",
    id,
    api.getComment({ comment_id: id }).then((comment) => ({ comment: [comment as unknown as Comment] })),
  );
const readSaid = { took: (_answer: unknown, { ids }: QueuedChange, api: Client) => readComment(api, ids[0] as string) };

// ---- relations ------------------------------------------------------------------------------------------------------

type Answered = Awaited<ReturnType<Operations["createTaskRelation"]>>;
const relationRow = (row: Answered | Omit<Relation, "related_task_id">): Relation => ({
  ...(row as Relation),
  id: `${row.id}:${row.task_id}`,
  related_task_id: row.related_task.id,
});
/** Relation id without the Task, as the service knows it. */
export const plainId = (id: string) => id.split(":")[0] as string;
/** The API has no operation that reads a single relation: list those of the Task. */
async function readRelation(api: Client, id: string): Promise<Brought> {
  const { relation = [] } = await orGone("relation", id, listRelations(api, id.slice(id.indexOf(":") + 1)));
  const found = relation.filter((row) => row.id === id);
  return found.length > 0 ? { relation: found } : { gone: { relation: [id] } };
}

function relate(_row: Relation | undefined, change: Applied): Relation {
  const { task_id, type, related_task_id } = change.input as unknown as Relation;
  const { related_task, created_by_actor_id } = change.guess as unknown as Relation;
  return { ...made(change), task_id, kind: type, type, related_task, related_task_id, created_by_actor_id };
}
export async function listRelations(api: Client, task_id: string): Promise<Brought> {
  const relation: Relation[] = [];
  for await (const row of api.listTaskRelations({ task_id, limit: 100 })) relation.push(relationRow(row));
  return { relation };
}

// ---- subscriptions --------------------------------------------------------------------------------------------------

const follows = (state: Subscription["state"]) => (row: Subscription | undefined) => row && { ...row, state };
export const readSubscription = (api: Client, task_id: string) =>
  orGone(
    "subscription",
    task_id,
    api.getTaskSubscription({ task_id }).then((row) => ({ subscription: [{ ...row, id: task_id }] })),
  );
const readFollowing = {
  unmatched: true as const,
  took: (_answer: unknown, { ids }: QueuedChange, api: Client) => readSubscription(api, ids[0] as string),
};

const goneOf =
  (kind: RowKind) =>
  async (_answer: unknown, { ids }: QueuedChange): Promise<Brought> => ({ gone: { [kind]: ids } });
const left = () => undefined;

export const partsDomain: Domain = {
  operations: {
    createTaskComment: operation("comment", say, { unmatched: true }),
    updateComment: operation("comment", edit),
    deleteComment: operation("comment", unsay, { unmatched: true, final: true, ...readSaid }),
    addReaction: operation("comment", react(true), { unmatched: true }),
    removeReaction: operation("comment", react(false), { unmatched: true, ...readSaid }),
    createTaskRelation: operation("relation", relate, {
      unmatched: true,
      took: async (answer) => ({ relation: [relationRow(answer as Answered)] }),
    }),
    deleteTaskRelation: operation("relation", left, { unmatched: true, took: goneOf("relation") }),
    deleteAttachment: operation("attachment", left, { unmatched: true, final: true, took: goneOf("attachment") }),
    followTask: operation("subscription", follows("following"), readFollowing),
    unfollowTask: operation("subscription", follows("none"), readFollowing),
    muteTask: operation("subscription", follows("muted"), readFollowing),
  },
  read: {
    comment: readComment,
    relation: readRelation,
    subscription: readSubscription,
    attachment: (api, id) =>
      orGone(
        "attachment",
        id,
        api.getAttachment({ attachment_id: id }).then((row) => ({ attachment: [row] as never })),
      ),
  },
};
