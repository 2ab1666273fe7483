// Service credentials: each acts as an Actor of its own, with a member's rights, only in the Projects that it is
// narrowed to.
import { expect, test } from "vitest";
import { callTool, serviceToken, toolNames } from "../../../test/mcp.ts";
import { newMilestone, newProject, newTask } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";
import { tools } from "../tools/tools.ts";

const running = service();
const SCOPES = ["svc:read", "svc:write"];

/** An open Project and a private one, each with a Task and a Document, and a Document of the Workspace. */
async function workshop() {
  const place = await world(running);
  const document = async (title: string, project_id: string | null) => {
    const body = { title, markdown: `About gears, in ${title}.`, project_id };
    const made = await place.owner.call("POST", `/workspaces/${place.workspaceId}/documents`, { body, key: newKey() });
    expect(made.status, made.text).toBe(201);
  };
  const [open, closed] = [await newProject(place), await newProject(place, { visibility: "private" })];
  const tasks = [
    await newTask(place.owner, open.id, { title: "Open gears" }),
    await newTask(place.owner, closed.id, { title: "Closed gears" }),
  ];
  await document("Open plan", open.id);
  await document("Closed plan", closed.id);
  await document("Plan of all", null);
  const using = async (projectIds: string[], scopes = SCOPES) => {
    const made = await serviceToken(place, scopes, projectIds);
    return { ...made, use: (name: string, args?: object) => callTool(running, made.token, name, args) };
  };
  return { place, open, closed, tasks, using };
}
const titlesOf = (items: { title: string }[]) => items.map(({ title }) => title).sort();

test("that is not narrowed sees what the Workspace shows everybody, and no private Project", async () => {
  const { open, closed, tasks, using } = await workshop();
  const { use } = await using([]);
  expect((await use("list_projects")).items).toMatchObject([{ key: open.key }]);
  expect(titlesOf((await use("list_tasks")).items)).toEqual(["Open gears"]);
  expect(titlesOf((await use("find", { query: "gears" })).items)).toEqual(["Open gears", "Open plan", "Plan of all"]);
  expect(titlesOf((await use("list_documents")).items)).toEqual(["Open plan", "Plan of all"]);
  expect((await use("get_task", { code: tasks[1]?.code })).refused).toContain("[not_found]");
  expect((await use("get_project", { key: closed.key })).refused).toContain("[not_found]");
  expect((await use("get_document", { path: "closed-plan" })).refused).toContain("[not_found]");
});

test("that is narrowed sees its Projects, private or not, and nothing else: no other Project, and nothing that is in none", async () => {
  const { open, closed, tasks, using } = await workshop();
  for (const [own, other, title, plan] of [
    [open, closed, "Open", "open-plan"],
    [closed, open, "Closed", "closed-plan"],
  ] as const) {
    const { use } = await using([own.id]);
    expect((await use("list_projects")).items).toMatchObject([{ key: own.key }]);
    expect((await use("get_project", { key: own.key })).name).toBe("Engine");
    expect((await use("get_project", { key: other.key })).refused).toContain("[not_found]");
    expect(titlesOf((await use("list_tasks")).items)).toEqual([`${title} gears`]);
    expect((await use("list_tasks", { project: other.key })).refused).toContain("[not_found]");
    expect(titlesOf((await use("find", { query: "gears" })).items)).toEqual([`${title} gears`, `${title} plan`]);
    expect(titlesOf((await use("list_documents")).items)).toEqual([`${title} plan`]);
    expect((await use("get_document", { path: plan })).title).toBe(`${title} plan`);
    for (const path of ["plan-of-all", own === open ? "closed-plan" : "open-plan"])
      expect((await use("get_document", { path })).refused, path).toContain("[not_found]");
    const [mine, theirs] = own === open ? tasks : [...tasks].reverse();
    expect((await use("get_task", { code: mine.code })).task.code).toBe(mine.code);
    for (const [name, args] of [
      ["get_task", { code: theirs.code }],
      ["find", { query: theirs.code }],
      ["update_task", { code: theirs.code, revision: "1", priority: "low" }],
      ["advance_task", { code: theirs.code, revision: "1", step: "start" }],
      ["comment", { code: theirs.code, markdown: "In" }],
      ["create_task", { project: other.key, title: "In" }],
      ["create_task", { project: own.key, title: "In", parent: theirs.code }],
      ["create_document", { project: other.key, title: "In" }],
      ["log_time", { code: theirs.code, duration: "1h", date: "2026-05-04" }],
    ] as const) {
      const answer = await use(name, args);
      expect(answer.refused ?? answer.items, name).toEqual(
        name === "find" ? [] : expect.stringContaining("[not_found]"),
      );
    }
  }
});

test("pages through more Projects than a page holds, narrowed to some of them", async () => {
  const { place, using } = await workshop();
  const made = [];
  for (let at = 0; at < 55; at++) made.push(await newProject(place, { name: `P${at}` }));
  const last = made.at(-1) as { id: string; key: string };
  const { use } = await using([last.id]);
  expect((await use("list_projects")).items).toMatchObject([{ key: last.key }]);
});

test("the next caller on the same connection is not narrowed", async () => {
  const { place, closed, using } = await workshop();
  const { use } = await using([closed.id]);
  for (let at = 0; at < 20; at++) {
    expect((await use("list_projects")).items).toHaveLength(1);
    const { items } = (await place.owner.call("GET", `/workspaces/${place.workspaceId}/projects`)).body;
    expect(items).toHaveLength(2);
  }
});

test("writes as an Actor of its own: feeds and the audit log name it, and no person", async () => {
  const { place, open, using } = await workshop();
  await newMilestone(place.owner, open.id);
  const { use, actor_id } = await using([]);
  const made = await use("create_task", { project: open.key, title: "By night", milestone: `${open.key}-M1` });
  expect(made.refused).toBeUndefined();
  const started = await use("advance_task", { code: made.code, revision: made.revision, step: "start" });
  expect(started.status).toBe("In Progress");
  const done = await use("advance_task", { code: made.code, revision: started.revision, step: "finish" });
  expect(done.status).toBe("Done");
  expect((await use("comment", { code: made.code, markdown: "Done by night." })).command).toBeDefined();
  expect((await use("log_time", { code: made.code, duration: "5m", date: "2026-05-04" })).refused).toBeUndefined();
  expect((await use("get_receipt", { id: made.command })).operation).toBe("createTask");
  expect((await use("my_work", { view: "completed" })).items).toMatchObject([{ code: made.code }]);
  const audited = await running.sql<Record<string, unknown>>(
    "select user_id, actor_id, credential_kind, client from audit_log where id = $1",
    [made.command],
    place.workspaceId,
  );
  expect(audited).toEqual([{ user_id: null, actor_id, credential_kind: "service", client: "Nightly robot" }]);
  const { items } = (await place.owner.call("GET", `/workspaces/${place.workspaceId}/activity`)).body;
  expect(items[0].provenance).toMatchObject({ actor_id, display_name: "Nightly robot", source: "service" });
  const read = await use("get_task", { code: made.code });
  expect(read.task.assignee).toBe("Nightly robot");
  expect(await use("undo", { command: made.command })).toMatchObject({ operation: "undoOperation" });
});

test("is offered no tool that needs a person, and cannot call one", async () => {
  const { using } = await workshop();
  const { token } = await using([]);
  const human = tools.filter((tool) => tool.human === true).map(({ name }) => name);
  expect((await toolNames(running, token)).filter((name) => human.includes(name))).toEqual([]);
});
