// Agents among people: assigned Tasks, mentioned in comments and Documents, found by name; where they are not narrowed
// to other Projects, and while they are active.
import { expect, test } from "vitest";
import { plantAgent } from "../../../test/agents.ts";
import { newDocument } from "../../../test/documents.ts";
import { newComment, newProject, newTask, refusalOf, workshopOn } from "../../../test/work.ts";
import { type Person, service } from "../../../test/world.ts";
import { tellEvents } from "../../history/inbox/fill-inboxes.ts";

const running = service();
async function workshop(projects: "all" | "one" = "all") {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const planted = { name: "Night Watch", ...(projects === "one" && { projectIds: [project.id] }) };
  const agent = await plantAgent(running, workspaceId, owner.actorId, planted);
  const username = `agent-${agent.id.slice(-12)}`;
  return { home, owner, project, workspaceId, agent: { ...agent, username } };
}
const assign = (owner: Person, taskId: string, actorId: string) =>
  owner.call("PATCH", `/tasks/${taskId}`, { body: { assignee_actor_id: actorId }, headers: { "if-match": "*" } });

test("a Task is given to an Agent when it is made, changed, and with many others", async () => {
  const { owner, project, workspaceId, agent } = await workshop();
  const made = await newTask(owner, project.id, { assignee_actor_id: agent.actorId });
  expect(made.assignee_actor_id).toBe(agent.actorId);
  const [one, two] = [await newTask(owner, project.id), await newTask(owner, project.id)];
  expect((await assign(owner, one.id, agent.actorId)).body.assignee_actor_id).toBe(agent.actorId);
  const bulk = await owner.call("POST", `/workspaces/${workspaceId}/tasks/bulk`, {
    body: { task_ids: [one.id, two.id], changes: { assignee_actor_id: agent.actorId } },
    key: `bulk-${two.id}`,
  });
  expect([bulk.status, (await owner.call("GET", `/tasks/${two.id}`)).body.assignee_actor_id], bulk.text).toEqual([
    200,
    agent.actorId,
  ]);
  const mine = await owner.call("GET", `/workspaces/${workspaceId}/tasks?assignee_actor_id=${agent.actorId}`);
  expect(mine.body.items).toHaveLength(3);
});

test("it works where it is not narrowed to other Projects, and only while it is active", async () => {
  const { home, owner, project, workspaceId, agent } = await workshop("one");
  const other = await newProject(home);
  const [here, there] = [await newTask(owner, project.id), await newTask(owner, other.id)];
  expect((await assign(owner, here.id, agent.actorId)).status).toBe(200);
  expect(refusalOf(await assign(owner, there.id, agent.actorId))).toEqual([
    422,
    "invalid_reference",
    "/body/assignee_actor_id",
  ]);
  const found = async (projectId: string) =>
    (await owner.call("GET", `/workspaces/${workspaceId}/members/resolve?q=night&project_id=${projectId}`)).body.items;
  expect([(await found(project.id)).length, (await found(other.id)).length]).toEqual([1, 0]);
  await owner.call("PATCH", `/workspaces/${workspaceId}/agents/${agent.id}`, {
    body: { state: "paused" },
    ifMatch: "1",
  });
  const next = await newTask(owner, project.id);
  expect(refusalOf(await assign(owner, next.id, agent.actorId))).toEqual([
    422,
    "invalid_reference",
    "/body/assignee_actor_id",
  ]);
  expect(await found(project.id)).toEqual([]);
  expect((await owner.call("GET", `/tasks/${here.id}`)).body.assignee_actor_id).toBe(agent.actorId);
});

test("it is found by its name and by the one it is mentioned by, as an Agent; not by who sees none of its Projects", async () => {
  const { home, owner, workspaceId } = await workshopOn(running);
  const closed = await newProject(home, { visibility: "private" });
  const outside = await home.member("member");
  const agent = await plantAgent(running, workspaceId, owner.actorId, { name: "Night Watch", projectIds: [closed.id] });
  const resolved = async (person: Person, q: string) =>
    (await person.call("GET", `/workspaces/${workspaceId}/members/resolve?q=${q}`)).body.items;
  const expected = {
    kind: "agent",
    actor_id: agent.actorId,
    user_id: null,
    role: null,
    display_name: "Night Watch",
    username: `agent-${agent.id.slice(-12)}`,
    has_picture: false,
    picture_url: null,
  };
  for (const q of ["watch", "@agent-", "night%20w"]) expect(await resolved(owner, q)).toEqual([expected]);
  expect(await resolved(outside, "watch")).toEqual([]);
  const options = async (person: Person) =>
    (await person.call("GET", `/workspaces/${workspaceId}/reference-options?q=watch&kinds=person`)).body.items;
  expect(await options(owner)).toMatchObject([
    { kind: "person", id: agent.actorId, code: expected.username, name: "Night Watch" },
  ]);
  expect(await options(outside)).toEqual([]);
  const members = await owner.call("GET", `/workspaces/${workspaceId}/members?q=night`);
  expect(members.body.items).toEqual([]);
});

test("a comment and a Document mention it, by name or by reference; it has no inbox", async () => {
  const { home, owner, project, workspaceId, agent } = await workshop("one");
  const elsewhere = await newProject(home);
  const [here, there] = [await newTask(owner, project.id), await newTask(owner, elsewhere.id)];
  await newComment(owner, here.id, `@${agent.username} please look`);
  await newComment(owner, there.id, `@${agent.username} please look`);
  const named = await newDocument(home, { markdown: `For @${agent.username}`, project_id: project.id });
  const typed = await newDocument(home, {
    markdown: `For [Watch](svc:person/${agent.actorId})`,
    project_id: project.id,
  });
  const loose = await newDocument(home, { markdown: `For @${agent.username}` });
  await assign(owner, here.id, agent.actorId);
  await tellEvents(running.database);
  const rows = (sql: string) => running.sql<{ id: string }>(sql, [agent.actorId], workspaceId);
  expect(await rows("select task_id as id from task_mentions where actor_id = $1")).toEqual([{ id: here.id }]);
  const documents = await rows(
    "select document_id as id from document_mentions where actor_id = $1 order by document_id",
  );
  expect(documents.map(({ id }) => id)).toEqual([named.id, typed.id]);
  expect(documents.map(({ id }) => id)).not.toContain(loose.id);
  expect(await rows("select id from inbox_items where actor_id = $1")).toEqual([]);
});
