// What somebody thinks of a suggestion changes what is suggested to them, and nothing for anybody else.
import { MOST_FEEDBACK } from "@svc/contract/planning/tasks/own-work/suggestions.ts";
import { expect, test } from "vitest";
import { newMilestone, newProject, newTask, workshopOn } from "../../../../test/work.ts";
import { type Person, service } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();

const workshop = () => workshopOn(running);
type Id = { id: string };
const rate = (person: Person, workspaceId: string, { id }: Id, body: object) =>
  person.call("POST", `/workspaces/${workspaceId}/tasks/${id}/suggestion-feedback`, { body });

test("what somebody has dismissed is no longer in their related context, and still in everybody else's", async () => {
  const { home, owner, project, workspaceId } = await workshop();
  const viewer = await home.member("viewer");
  const milestone_id = (await newMilestone(owner, project.id)).id;
  const [task, related, sibling] = [
    await newTask(owner, project.id, { milestone_id }),
    await newTask(owner, project.id),
    await newTask(owner, project.id, { milestone_id }),
  ];
  await owner.call("POST", `/tasks/${task.id}/relations`, { body: { type: "blocks", related_task_id: related.id } });
  const seen = async (person: Person) => {
    const path = `/workspaces/${workspaceId}/tasks/${task.id}/related-context`;
    const { body } = await person.call("GET", path);
    return [...body.related, ...body.milestone_tasks].map(({ id }: Id) => id);
  };
  const say = (verdict: string, subject_id?: string) =>
    rate(viewer, workspaceId, task, { kind: "related_task", subject_id, verdict });
  const first = await say("dismissed", related.id.toUpperCase());
  expect([first.status, first.trips <= 3]).toEqual([200, true]);
  expect(first.body).toMatchObject({
    task_id: task.id,
    kind: "related_task",
    subject_id: related.id,
    verdict: "dismissed",
  });
  expect((await say("dismissed", related.id)).body).toEqual(first.body);
  expect([await seen(viewer), await seen(owner)]).toEqual([[sibling.id], [related.id, sibling.id]]);
  await say("dismissed", sibling.id);
  expect(await seen(viewer)).toEqual([]);
  // It is a fact of the Task all the same.
  const context = await viewer.call("GET", `/workspaces/${workspaceId}/tasks/${task.id}/context`);
  expect(context.body.related.map(({ id }: Id) => id)).toEqual([related.id]);
  const changed = (await say("not_helpful", related.id)).body;
  expect(changed).toMatchObject({ verdict: "not_helpful", created_at: first.body.created_at });
  expect(await seen(viewer)).toEqual([related.id]);
  const told = await running.sql<{ payload: object }>(
    `select payload, activity from domain_events where type = 'task.suggestion.rated' and task_id = $1
      order by occurred_at`,
    [task.id],
    workspaceId,
  );
  const about = { kind: "related_task", subject_id: related.id };
  expect(told).toHaveLength(3);
  expect(told[0]).toEqual({ payload: { ...about, from: null, to: "dismissed" }, activity: null });
  expect(told[2]?.payload).toEqual({ ...about, from: "dismissed", to: "not_helpful" });
});

test("feedback names a Task that its author sees, on a Task that they see, at most 500 about one", async () => {
  const { home, owner, project, workspaceId } = await workshop();
  const member = await home.member("member");
  const [task, other] = [await newTask(owner, project.id), await newTask(owner, project.id)];
  const hidden = await newTask(owner, (await newProject(home, { visibility: "private" })).id);
  const foreign = await workshop();
  const elsewhere = await newTask(foreign.owner, foreign.project.id);
  const say = (on: Id, body: object) => rate(member, workspaceId, on, { verdict: "helpful", ...body });
  for (const on of [hidden, elsewhere, { id: newId() }])
    expect((await say(on, { kind: "current_work" })).status).toBe(404);
  for (const { id } of [hidden, elsewhere, { id: newId() }, task]) {
    const answer = await say(task, { kind: "related_task", subject_id: id });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, "/body/subject_id"]);
  }
  const bare = await say(task, { kind: "related_task" });
  expect([bare.body.code, bare.body.errors[0].pointer]).toEqual(["invalid_request", "/body/subject_id"]);
  expect((await say(task, { kind: "current_work", subject_id: other.id })).body.code).toBe("invalid_reference");
  expect((await say(task, { kind: "current_work", subject_id: task.id })).status).toBe(200);
  expect((await say(task, { kind: "assignee", subject_id: other.id })).body.code).toBe("invalid_request");
  const fill = `
with made as (
  insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
  select $1, gen_random_uuid(), $2, 1000 + n, 'More', $3, n, $4 from generate_series(1, $5::int) n returning id
)
insert into suggestion_feedback (workspace_id, actor_id, task_id, kind, subject_id, verdict)
select $1, $4, $6, 'related_task', id, 'helpful' from made`;
  const values = [workspaceId, project.id, task.status_id, member.actorId, MOST_FEEDBACK - 2, task.id];
  await running.sql(fill, values, workspaceId);
  const more = await Promise.all(
    [other, await newTask(owner, project.id), await newTask(owner, project.id)].map(({ id }) =>
      say(task, { kind: "related_task", subject_id: id }),
    ),
  );
  expect(more.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(more.find(({ status }) => status === 409)?.body.code).toBe("limit_reached");
  expect((await say(task, { kind: "current_work", verdict: "dismissed" })).status).toBe(200);
});
