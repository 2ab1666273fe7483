// A native client draws what it lists: it reads each thing alone, or the list brings along what it may not look up.
import { expect, test } from "vitest";
import { newSecret } from "../src/platform/wire/ids.ts";
import { newMilestone, newProject, newTask } from "./work.ts";
import { insertCredential, service, world } from "./world.ts";

const running = service();

async function nativeIn() {
  const home = await world(running);
  const token = newSecret("nat");
  await insertCredential(running, "native", token, home.owner.userId, null, []);
  const headers = { "x-svc-workspace-id": home.workspaceId };
  return { home, read: (path: string) => home.owner.bearer(token, "GET", path, { headers }) };
}

test("a Project's state and stage come with the Project, alone and in the list, in one round-trip", async () => {
  const { home, read } = await nativeIn();
  const project = await newProject(home);
  const list = await read(`/workspaces/${home.workspaceId}/projects?include=state,stage`);
  const alone = await read(`/projects/${project.id}?include=state,stage`);
  for (const [{ body, trips, status }, row] of [
    [list, list.body.items?.[0]],
    [alone, alone.body],
  ] as const) {
    expect([status, trips], JSON.stringify(body)).toEqual([200, 1]);
    expect(body.included.states[row.state_id]).toMatchObject({ id: row.state_id, name: expect.any(String) });
    expect(body.included.stages[row.lifecycle.stage_id]).toMatchObject({ category: expect.any(String) });
  }
});

test("a Milestone, Comment, attachment and Person that a list names are read alone by the same credential", async () => {
  const { home, read } = await nativeIn();
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const milestone = await newMilestone(owner, project.id);
  const task = await newTask(owner, project.id, { milestone_id: milestone.id, assignee_actor_id: owner.actorId });
  const comment = await owner.call("POST", `/tasks/${task.id}/comments`, {
    body: { markdown: "Seen" },
    key: `native-reads-${task.id}`,
  });
  const [row] = (await read(`/workspaces/${workspaceId}/tasks?include=milestone,people`)).body.items;
  expect((await read(`/tasks/${row.id}`)).body.id).toBe(task.id);
  expect((await read(`/tasks/${row.id}/comments`)).body.items[0].id).toBe(comment.body.id);
  expect((await read(`/comments/${comment.body.id}`)).body.markdown).toBe("Seen");
  const seen = await read(`/milestones/${row.milestone_id}?include=stage`);
  expect(seen.body.included.stages[seen.body.stage_id].name).toEqual(expect.any(String));
  const assignments = await read(`/tasks/${task.id}/assignments?include=people`);
  expect([assignments.status, assignments.trips]).toEqual([200, 1]);
  expect(assignments.body.included.actors[owner.actorId].username).toEqual(expect.any(String));
  const [member] = (await read(`/workspaces/${workspaceId}/members`)).body.items;
  expect((await read(`/workspaces/${workspaceId}/people/${member.username}`)).body.actor_id).toBe(owner.actorId);
  expect((await read("/me")).body).toMatchObject({ actor_id: owner.actorId, role: "owner" });
});

test("attachments and labels bring along who made them", async () => {
  const { home, read } = await nativeIn();
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  await home.owner.call("POST", `/projects/${project.id}/label-definitions`, { body: { name: "Brass" } });
  const labels = await read(`/projects/${project.id}/label-definitions?include=people`);
  expect([labels.status, labels.trips]).toEqual([200, 1]);
  expect(Object.keys(labels.body.included.actors)).toEqual([home.owner.actorId]);
  const files = await read(`/tasks/${task.id}/attachments?include=people,task`);
  expect([files.status, files.body.items, files.body.included]).toEqual([200, [], {}]);
});

test("what the specification gives to sessions alone stays refused, with the kinds that are accepted", async () => {
  const { home, read } = await nativeIn();
  for (const path of [
    `/workspaces/${home.workspaceId}`,
    `/workspaces/${home.workspaceId}/project-states`,
    `/workspaces/${home.workspaceId}/milestone-lifecycle`,
    `/workspaces/${home.workspaceId}/icon/content`,
  ]) {
    const refused = await read(path);
    expect([refused.status, refused.body.code], path).toEqual([403, "credential_kind_not_allowed"]);
  }
});
