// What is shown of comments, relations and following before the answer is what the service answers.
import { createClient } from "@svc/client";
import { expect, test } from "vitest";
import { newComment, newTask, workshopOn } from "../../../../server/test/work.ts";
import { service, sessionHeaders } from "../../../../server/test/world.ts";
import type { Brought, Operation } from "../../store/domain.ts";
import type { QueuedChange } from "../../store/queue/change.ts";
import type { AnyRow, RowKind } from "../../store/rows.ts";
import { partsDomain } from "./operations.ts";

const running = service();
type Row = AnyRow & Record<string, unknown>;

async function bench() {
  const { owner, project, workspaceId } = await workshopOn(running);
  const api = createClient({ url: running.url, workspaceId, headers: sessionHeaders(owner.session) });
  const task = await newTask(owner, project.id);
  /** The row as it is shown, and as the service has it. */
  async function both(name: string, row: Row | undefined, input: Record<string, unknown>, guess: object = {}) {
    const operation = partsDomain.operations?.[name] as unknown as Operation<Row>;
    const ids = row ? [row.id] : [];
    const change = { input, guess, ids, creates: row ? null : "new-1", madeAt: Date.now() } as unknown as QueuedChange;
    const shown = operation.apply(row, change, row?.id ?? "new-1");
    const call = api[name as "addReaction"] as unknown as (input: object, options: object) => Promise<object>;
    const at = operation.unmatched ? undefined : row?.revision;
    const answer = await call(input, { at });
    const brought = operation.took ? await operation.took(answer, change, api) : { [operation.kind]: [answer] };
    return { shown, answer: rowOf(brought, operation.kind), gone: (brought as Brought).gone };
  }
  return { owner, project, task, api, both, me: owner.actorId };
}
const rowOf = (brought: Brought, kind: RowKind) => (brought[kind] as unknown as Row[] | undefined)?.[0];
/** What only the service knows; moments are compared by whether there is one. */
function known(row: Row | undefined) {
  const { id: _, revision: __, capabilities: ___, created_at, updated_at, deleted_at, ...rest } = row as Row;
  return { ...rest, created: created_at !== null, updated: updated_at !== null, deleted: deleted_at !== null };
}

test("a comment is said, edited, reacted to and deleted", async () => {
  const { task, both, me } = await bench();
  const said = await both(
    "createTaskComment",
    undefined,
    { task_id: task.id, markdown: "**Now**" },
    { author_actor_id: me },
  );
  expect(known(said.shown)).toEqual(known(said.answer));
  const comment_id = said.answer?.id as string;
  const edited = await both("updateComment", said.answer, { comment_id, markdown: "Later" });
  expect(known(edited.shown)).toEqual(known(edited.answer));
  const liked = await both("addReaction", edited.answer, { comment_id, reaction: "heart" });
  expect(known(liked.shown)).toEqual(known(liked.answer));
  const again = await both("addReaction", liked.answer, { comment_id, reaction: "heart" });
  expect(again.shown).toBe(liked.answer);
  const taken = await both("removeReaction", liked.answer, { comment_id, reaction: "heart" });
  expect(known(taken.shown)).toEqual(known(taken.answer));
  const deleted = await both("deleteComment", taken.answer, { comment_id });
  expect(known(deleted.shown)).toEqual(known(deleted.answer));
});

test("a reaction that others gave, too, keeps theirs", async () => {
  const { owner, task, both, api } = await bench();
  const { id } = await newComment(owner, task.id);
  const other = {
    ...(await api.getComment({ comment_id: id })),
    reactions: [{ reaction: "heart", count: 2, reacted: false }],
  };
  const { shown } = await both("addReaction", other as unknown as Row, { comment_id: id, reaction: "heart" });
  expect(shown?.reactions).toEqual([{ reaction: "heart", count: 3, reacted: true }]);
});

test("Tasks are related and the relation is removed, under an id that says from which Task it is seen", async () => {
  const { owner, project, task, both, me } = await bench();
  const other = await newTask(owner, project.id, { title: "Other" });
  const { id, project_id, code, title, status_id, assignee_actor_id, trashed_at } = other;
  const related_task = { id, project_id, code, title, status_id, category: "unstarted", assignee_actor_id, trashed_at };
  const input = { task_id: task.id, type: "blocks", related_task_id: id };
  const made = await both("createTaskRelation", undefined, input, { related_task, created_by_actor_id: me });
  expect(known(made.shown)).toEqual(known(made.answer));
  const relation = made.answer as Row;
  expect(relation.id).toMatch(new RegExp(`^[0-9a-f-]{36}:${task.id}$`));
  const removed = await both("deleteTaskRelation", relation, { relation_id: relation.id.split(":")[0] });
  expect([removed.shown, removed.gone]).toEqual([undefined, { relation: [relation.id] }]);
});

test("a Task is followed, muted and left alone", async () => {
  const { task, both, api } = await bench();
  const row = { ...(await api.getTaskSubscription({ task_id: task.id })), id: task.id } as unknown as Row;
  for (const name of ["muteTask", "followTask", "unfollowTask"]) {
    const { shown, answer } = await both(name, row, { task_id: task.id });
    expect(shown?.state, name).toBe(answer?.state);
  }
});
