// Completion: a Project's policy with what is effective, and what completes something of each kind.
import { expect, test } from "vitest";
import { eventsOf, joinProject, newProject, newProjectStatus } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const pathOf = ({ id }: { id: string }) => `/projects/${id}/completion-policy`;
const decide = (person: Person, project: { id: string }, body: object, ifMatch = "0") =>
  person.call("PUT", pathOf(project), { body: { review_required: false, ...body }, ifMatch });
const idOf = async ({ workspaceId }: World, name: string, table = "statuses") =>
  (await running.sql<{ id: string }>(`select id from ${table} where name = $1`, [name], workspaceId))[0]?.id as string;
/** One more Status, of the stage of another one; of a Project, or of the Workspace. */
async function likeOf({ workspaceId }: World, name: string, like: string, projectId: string | null = null) {
  const id = newId();
  await running.sql(
    `insert into statuses (workspace_id, id, project_id, name, category, position, stage_id)
     select $1, $2, $3, $4, category, position + 1, stage_id from statuses where workspace_id = $1 and name = $5`,
    [workspaceId, id, projectId, name, like],
    workspaceId,
  );
  return id;
}
const archive = ({ workspaceId }: World, id: string, table = "statuses") =>
  running.sql(`update ${table} set archived_at = now() where id = $1`, [id], workspaceId);

test("before anybody has decided, no review is required and the first Status that fits is effective", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const answer = await home.owner.call("GET", pathOf(project));
  expect(answer.headers.get("etag")).toBe('"0"');
  expect(answer.trips).toBe(1);
  expect(answer.body).toEqual({
    project_id: project.id,
    review_required: false,
    active_status_id: null,
    review_status_id: null,
    done_status_id: null,
    effective_active_status_id: await idOf(home, "In Progress"),
    effective_review_status_id: await idOf(home, "In Review"),
    effective_done_status_id: await idOf(home, "Done"),
    revision: "0",
    updated_at: null,
    capabilities: ["work:read", "work:write", "work:manage"],
  });
});

test("what is decided holds while it fits; a Status that was archived gives way to the first one", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [doing, shipped] = [
    await newProjectStatus(running, home, project.id, "Doing"),
    await likeOf(home, "Shipped", "Done"),
  ];
  const made = await decide(home.owner, project, {
    review_required: true,
    active_status_id: await idOf(home, "In Progress"),
    done_status_id: shipped,
  });
  expect(made.status).toBe(200);
  expect(made.trips).toBeLessThanOrEqual(5);
  expect(made.body).toMatchObject({
    review_required: true,
    revision: "1",
    effective_active_status_id: await idOf(home, "In Progress"),
    effective_done_status_id: shipped,
  });
  expect((await home.owner.call("GET", pathOf(project))).body).toEqual(made.body);
  await archive(home, shipped);
  const read = (await home.owner.call("GET", pathOf(project))).body;
  expect(read).toMatchObject({ done_status_id: shipped, effective_done_status_id: await idOf(home, "Done") });
  const again = await decide(home.owner, project, {}, "1");
  expect(again.body).toMatchObject({
    review_required: false,
    done_status_id: null,
    effective_active_status_id: doing,
    revision: "2",
  });
  const events = await eventsOf(running, home, project.id);
  expect(events.at(-1)).toMatchObject({ type: "project.completion_policy_replaced", activity: null });
});

test("each Status must apply to the Project, be in use and be in a stage that fits", async () => {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  const [elsewhere, archived] = [
    await likeOf(home, "Elsewhere", "Done", other.id),
    await likeOf(home, "Archived", "Done"),
  ];
  await archive(home, archived);
  const foreign = await idOf(await world(running), "Done");
  const refused: [string, string[]][] = [
    ["active_status_id", ["In Review", "Todo", "Done"]],
    ["review_status_id", ["In Progress", "Done"]],
    ["done_status_id", ["In Progress", "Cancelled"]],
  ];
  for (const [field, names] of refused)
    for (const name of names) {
      const answer = await decide(home.owner, project, { [field]: await idOf(home, name) });
      expect(answer.body).toMatchObject({ code: "invalid_reference", errors: [{ pointer: `/body/${field}` }] });
    }
  for (const id of [elsewhere, archived, foreign, newId()])
    expect((await decide(home.owner, project, { done_status_id: id })).body.code).toBe("invalid_reference");
  expect((await decide(home.owner, other, { done_status_id: elsewhere })).status).toBe(200);
});

test("where no Status fits, none is effective", async () => {
  const home = await world(running);
  const project = await newProject(home);
  for (const name of ["In Review", "Done"]) await archive(home, await idOf(home, name));
  expect((await home.owner.call("GET", pathOf(project))).body).toMatchObject({
    effective_review_status_id: null,
    effective_done_status_id: null,
  });
});

test("of many first decisions one is made, and the others learn of it", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => decide(home.owner, project, { review_required: true })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ current_revision: "1" });
});

test("managers and the lead decide; others read", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [lead, member] = [await home.member("member"), await home.member("member")];
  await joinProject(home, project.id, lead, "lead");
  expect((await decide(member, project, {})).status).toBe(403);
  expect((await member.call("GET", pathOf(project))).status).toBe(200);
  expect((await decide(lead, project, {})).status).toBe(200);
  expect((await decide((await world(running)).owner, project, {})).status).toBe(404);
});

const target = (home: World, query: string, person: Person = home.owner) =>
  person.call("GET", `/workspaces/${home.workspaceId}/lifecycle-completion-targets?${query}`);

test("the only one that completes is the target, of each kind", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const done = await idOf(home, "Done");
  const task = await target(home, `kind=task&project_id=${project.id}`, await home.member("viewer"));
  expect(task.body).toMatchObject({ kind: "task", project_id: project.id, target_status_id: done, name: "Done" });
  expect(task.trips).toBeLessThanOrEqual(2);
  expect((await target(home, "kind=task")).body).toMatchObject({ project_id: null, target_status_id: done });
  const state = await idOf(home, "Completed", "project_states");
  expect((await target(home, "kind=project")).body).toMatchObject({ kind: "project", target_status_id: state });
  const milestone = (await target(home, "kind=milestone")).body;
  expect(milestone).toMatchObject({ kind: "milestone", name: "Completed", category: "completed" });
  expect(milestone.target_status_id).toBe(milestone.stage_id);
  const named = await target(home, `kind=task&target_status_id=${done.toUpperCase()}`);
  expect(named.body.target_status_id).toBe(done);
});

test("of several the caller chooses, or the Project's policy has chosen", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [done, own] = [await idOf(home, "Done"), await likeOf(home, "Shipped", "Done", project.id)];
  expect((await target(home, "kind=task")).body.target_status_id).toBe(done);
  const asked = await target(home, `kind=task&project_id=${project.id}`);
  expect(asked.status).toBe(409);
  expect(asked.body).toMatchObject({
    code: "completion_target_required",
    choices: [
      { id: done, name: "Done" },
      { id: own, name: "Shipped" },
    ],
  });
  const chosen = await target(home, `kind=task&project_id=${project.id}&target_status_id=${own}`);
  expect(chosen.body.target_status_id).toBe(own);
  await decide(home.owner, project, { done_status_id: own });
  expect((await target(home, `kind=task&project_id=${project.id}`)).body.target_status_id).toBe(own);
  const other = await target(home, `kind=task&project_id=${project.id}&target_status_id=${done}`);
  expect(other.body.target_status_id).toBe(done);
});

test("a target that does not complete, or does not apply, is invalid", async () => {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  const elsewhere = await likeOf(home, "Shipped", "Done", other.id);
  const ids = [await idOf(home, "Todo"), await idOf(home, "Cancelled"), elsewhere, newId()];
  for (const id of [...ids, await idOf(home, "Completed", "project_states")])
    expect((await target(home, `kind=task&project_id=${project.id}&target_status_id=${id}`)).body.code).toBe(
      "completion_target_invalid",
    );
  expect((await target(home, `kind=project&target_status_id=${await idOf(home, "Done")}`)).status).toBe(422);
});

test("where nothing completes, that is said, whatever was asked for", async () => {
  const home = await world(running);
  const done = await idOf(home, "Done");
  await archive(home, done);
  for (const query of ["kind=task", `kind=task&target_status_id=${done}`])
    expect((await target(home, query)).body.code).toBe("completion_target_unavailable");
  await archive(home, await idOf(home, "Completed", "project_states"), "project_states");
  expect((await target(home, "kind=project")).body.code).toBe("completion_target_unavailable");
});

test("a Project is for Tasks, and must be one that the caller sees", async () => {
  const home = await world(running);
  const project = await newProject(home, { visibility: "private" });
  const member = await home.member("member");
  const pointer = { errors: [{ pointer: "/query/project_id" }] };
  expect((await target(home, `kind=project&project_id=${project.id}`)).body).toMatchObject({
    code: "invalid_request",
    ...pointer,
  });
  const foreign = await newProject(await world(running));
  for (const id of [project.id, foreign.id, newId()])
    expect((await target(home, `kind=task&project_id=${id}`, member)).body).toMatchObject({
      code: "invalid_reference",
      ...pointer,
    });
  expect((await target(home, "kind=document")).body.errors[0].pointer).toBe("/query/kind");
  expect((await target(home, "")).body.errors[0].pointer).toBe("/query/kind");
});
