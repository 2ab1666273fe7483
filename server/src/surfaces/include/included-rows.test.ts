// Included rows: each once, as visible to the reader, for every credential that may read the row, in the same
// round-trip.
import type { AnyOperation } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { describe, expect, test } from "vitest";
import { newInboxItem } from "../../../test/inbox.ts";
import { newComment, newMilestone, newProject, newTask } from "../../../test/work.ts";
import { asTenant, insertCredential, newKey, service, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";
import { including } from "./included-rows.ts";

const running = service();

describe("a list of Tasks", () => {
  test("brings Statuses, people, labels, Projects, Milestones and parents along, each once, in one round-trip", async () => {
    const home = await world(running);
    const { owner, workspaceId } = home;
    const member = await home.member("member");
    const project = await newProject(home);
    const milestone = await newMilestone(owner, project.id);
    const label = await owner.call("POST", `/projects/${project.id}/label-definitions`, { body: { name: "Brass" } });
    const parent = await newTask(owner, project.id, { title: "Whole" });
    const child = await newTask(owner, project.id, {
      title: "Part",
      assignee_actor_id: member.actorId,
      milestone_id: milestone.id,
    });
    await owner.call("PUT", `/task/${child.id}/labels`, { body: { label_ids: [label.body.id] }, ifMatch: "1" });
    await owner.call("POST", `/tasks/${child.id}/relations`, {
      body: { type: "child_of", related_task_id: parent.id },
    });
    const names = "status,assignee,people,labels,project,milestone,parent";
    for (const path of [`/workspaces/${workspaceId}/tasks`, `/projects/${project.id}/tasks`]) {
      const answer = await owner.call("GET", `${path}?include=${names}`);
      expect([answer.status, answer.trips], answer.text).toEqual([200, 1]);
      const { items, included } = answer.body;
      const row = items.find(({ id }: { id: string }) => id === child.id);
      expect(row.parent_id).toBe(parent.id);
      expect(Object.keys(included).sort()).toEqual(["actors", "labels", "milestones", "projects", "statuses", "tasks"]);
      expect(included.statuses[row.status_id]).toMatchObject({ id: row.status_id, category: "unstarted" });
      expect(Object.keys(included.actors).sort()).toEqual([owner.actorId, member.actorId].sort());
      expect(included.actors[member.actorId]).toMatchObject({ kind: "human", picture_url: null });
      expect(included.labels[label.body.id]).toMatchObject({ name: "Brass", overrides: [] });
      expect(included.projects).toEqual({ [project.id]: expect.objectContaining({ key: project.key }) });
      expect(included.milestones[milestone.id].name).toBe(milestone.name);
      expect(included.tasks).toEqual({ [parent.id]: expect.objectContaining({ title: "Whole", code: parent.code }) });
    }
  });

  test("brings nothing along unasked, and a name that it does not know is refused with a pointer", async () => {
    const home = await world(running);
    await newTask(home.owner, (await newProject(home)).id);
    const path = `/workspaces/${home.workspaceId}/tasks`;
    expect((await home.owner.call("GET", path)).body).not.toHaveProperty("included");
    for (const wrong of ["everything", "status,", "", "status%20,people"]) {
      const { status, body } = await home.owner.call("GET", `${path}?include=${wrong}`);
      expect([status, body.errors[0].pointer], wrong).toEqual([400, "/query/include"]);
    }
  });

  test("holds what the page shows and not what comes next, and a cursor goes on with another include", async () => {
    const home = await world(running);
    const [one, two] = [await newProject(home), await newProject(home)];
    await newTask(home.owner, one.id);
    await newTask(home.owner, two.id);
    const path = `/workspaces/${home.workspaceId}/tasks`;
    const first = await home.owner.call("GET", `${path}?limit=1&include=project`);
    expect(Object.keys(first.body.included.projects)).toEqual([two.id]);
    const second = await home.owner.call("GET", `${path}?limit=1&include=status&cursor=${first.body.next_cursor}`);
    expect([second.body.items[0].project_id, Object.keys(second.body.included)]).toEqual([one.id, ["statuses"]]);
    const none = await home.owner.call("GET", `${path}?text=nothing&include=project`);
    expect([none.body.items, none.body.included]).toEqual([[], {}]);
  });

  test("shows no parent that the reader does not see, neither its id nor its title", async () => {
    const home = await world(running);
    const [hidden, open] = [await newProject(home, { visibility: "private" }), await newProject(home)];
    const [parent, child] = [await newTask(home.owner, hidden.id), await newTask(home.owner, open.id)];
    await home.owner.call("POST", `/tasks/${child.id}/relations`, {
      body: { type: "child_of", related_task_id: parent.id },
    });
    const member = await home.member("member");
    const path = `/projects/${open.id}/tasks?include=parent,counts`;
    const seen = await member.call("GET", path);
    expect([seen.body.items[0].parent_id, seen.body.included.tasks]).toEqual([null, {}]);
    expect((await home.owner.call("GET", path)).body.items[0].parent_id).toBe(parent.id);
    const alone = await member.call("GET", `/tasks/${child.id}?include=parent`);
    expect([alone.body.parent_id, alone.body.included.tasks]).toEqual([null, {}]);
  });
});

describe("what comes with each row", () => {
  test("counts of comments, files, parts and finished parts, and whether it is blocked, of what the reader sees", async () => {
    const home = await world(running);
    const [open, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
    const { owner } = home;
    const task = await newTask(owner, open.id);
    const relate = (type: string, other: { id: string }) =>
      owner.call("POST", `/tasks/${task.id}/relations`, { body: { type, related_task_id: other.id } });
    const done = (await owner.call("GET", `/projects/${open.id}/statuses`)).body.items.find(
      ({ category }: { category: string }) => category === "completed",
    );
    await relate("parent_of", await newTask(owner, open.id, { status_id: done.id }));
    await relate("parent_of", await newTask(owner, open.id));
    await relate("parent_of", await newTask(owner, hidden.id));
    await relate("blocked_by", await newTask(owner, hidden.id));
    const said = await newComment(owner, task.id);
    await newComment(owner, task.id);
    await owner.call("DELETE", `/comments/${said.id}`);
    const member = await home.member("member");
    const ofMember = { comments: 1, attachments: 0, subtasks: 2, subtasks_completed: 1, blocked: false };
    const ofOwner = { ...ofMember, subtasks: 3, blocked: true };
    for (const [person, counts] of [
      [member, ofMember],
      [owner, ofOwner],
    ] as const) {
      const listed = await person.call("GET", `/projects/${open.id}/tasks?include=counts`);
      expect([listed.trips, listed.body.items.at(-1).counts]).toEqual([1, counts]);
      const alone = await person.call("GET", `/tasks/${task.id}?include=counts,status`);
      expect([alone.trips, alone.body.counts]).toEqual([1, counts]);
      expect(Object.keys(alone.body.included.statuses)).toEqual([alone.body.status_id]);
    }
    // It does not block any more.
    const blocker = await newTask(owner, open.id, { status_id: done.id });
    const other = await newTask(owner, open.id);
    await owner.call("POST", `/tasks/${other.id}/relations`, {
      body: { type: "blocked_by", related_task_id: blocker.id },
    });
    expect((await owner.call("GET", `/tasks/${other.id}?include=counts`)).body.counts.blocked).toBe(false);
  });

  test("the description on request, as much as a page holds, and at least one", async () => {
    const home = await world(running);
    const project = await newProject(home);
    const long = "ä".repeat(200_000);
    for (const title of ["One", "Two", "Three", "Four"])
      await newTask(home.owner, project.id, { title, description_markdown: title === "One" ? "# Short" : long });
    const path = `/projects/${project.id}/tasks`;
    const plain = await home.owner.call("GET", path);
    expect(plain.text.length).toBeLessThan(10_000);
    expect(plain.body.items[0]).not.toHaveProperty("description_markdown");
    const first = await home.owner.call("GET", `${path}?include=description`);
    expect(first.body.items.map(({ title }: { title: string }) => title)).toEqual(["Four", "Three"]);
    expect([first.body.items[1].description_markdown === long, first.body.has_more]).toEqual([true, true]);
    const second = await home.owner.call("GET", `${path}?include=description&cursor=${first.body.next_cursor}`);
    expect(second.body.items.map(({ title }: { title: string }) => title)).toEqual(["Two", "One"]);
    expect([second.body.items[1].description_markdown, second.body.has_more]).toEqual(["# Short", false]);
  });
});

test.each([
  ["", ""],
  ["# Gears\n\nCut **all** of _them_, `twice`.", "Gears Cut all of them, twice."],
  ["- [ ] one\n- [x] two\n1. three\n> said", "one two three said"],
  ["See [the plan](https://example.com/a_b) ![a wheel](w.png) <br>now", "See the plan a wheel now"],
  ["```ts\nconst a_b = 2 * 3;\n```\n---\nsnake_case stays", "const a_b = 2 * 3; snake_case stays"],
  ["x".repeat(300), "x".repeat(200)],
])("a list shows the beginning of %j in plain words", async (markdown, excerpt) => {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id, { description_markdown: markdown });
  const shown = async () => (await home.owner.call("GET", `/projects/${project.id}/tasks`)).body.items[0];
  expect((await shown()).description_excerpt).toBe(excerpt);
  // One that was written before there were excerpts.
  await running.sql("update tasks set description_excerpt = null", [], home.workspaceId);
  expect((await shown()).description_excerpt).toBe(excerpt);
  await home.owner.call("PATCH", `/tasks/${task.id}`, { body: { description_markdown: "*Other*" }, ifMatch: "1" });
  expect((await shown()).description_excerpt).toBe("Other");
});

test("scripts and developer clients read the names beside the ids, although they cannot list people", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  await newComment(home.owner, task.id);
  for (const [kind, prefix] of [
    ["personal", "pat"],
    ["developer", "dat"],
  ] as const) {
    const token = newSecret(prefix);
    await insertCredential(running, kind, token, home.owner.userId, home.workspaceId, ["svc:read"]);
    for (const path of [`/tasks/${task.id}`, `/workspaces/${home.workspaceId}/tasks`, `/tasks/${task.id}/comments`]) {
      const { status, body } = await home.owner.bearer(token, "GET", `${path}?include=people`);
      expect([status, Object.keys(body.included.actors)], path).toEqual([200, [home.owner.actorId]]);
      expect(body.included.actors[home.owner.actorId].username).toEqual(expect.any(String));
    }
  }
});

test("comments, Milestones, the inbox, search and time bring along people, Projects and Tasks in the same round-trips", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const milestone = await newMilestone(owner, project.id);
  const task = await newTask(owner, project.id, { title: "Needle" });
  await newComment(owner, task.id);
  await owner.call("POST", `/tasks/${task.id}/time-entries`, {
    body: { duration: "1h", work_date: "2026-11-16" },
    key: newKey(),
  });
  for (const path of [
    `/tasks/${task.id}/comments?include=people,task`,
    `/projects/${project.id}/milestones?include=people,project`,
    `/milestones/${milestone.id}?include=people,project`,
    `/tasks/${task.id}/time-entries?include=people,project,task`,
    `/workspaces/${workspaceId}/search?q=needle&include=status,people,project,task`,
  ]) {
    const [asked, plain] = [await owner.call("GET", path), await owner.call("GET", path.replace(/include=.*/, ""))];
    expect([asked.status, asked.trips], path).toEqual([200, plain.trips]);
    const { actors, projects, tasks } = asked.body.included;
    expect(Object.keys(actors), path).toEqual([owner.actorId]);
    if (path.includes("project")) expect(Object.keys(projects ?? { [project.id]: 1 }), path).toEqual([project.id]);
    expect(tasks?.[task.id]?.title, path).toBe(/[,=]task/.test(path) ? "Needle" : undefined);
  }
  // What somebody was told has them as objects.
  await newInboxItem(running, home, owner.actorId, task.id);
  const { trips, body } = await owner.call("GET", `/workspaces/${workspaceId}/inbox?include=project,task`);
  expect([trips, body.included]).toMatchObject([
    1,
    { projects: { [project.id]: { key: project.key } }, tasks: { [task.id]: { title: "Needle" } } },
  ]);
});

test("a page that reads twice has room for one page of texts in both reads together", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const long = "ä".repeat(200_000);
  const ids: string[] = [];
  for (const title of ["One", "Two", "Three"])
    ids.push((await newTask(home.owner, project.id, { title, description_markdown: long })).id);
  const listTasks = operations.get("listProjectTasks") as AnyOperation;
  const cut = await asTenant(running, home.workspaceId, async (tx) => {
    const { queries } = including(tx, listTasks, ["description"], 10);
    const rows: { cut?: boolean }[] = [];
    for (const part of [ids.slice(0, 2), ids.slice(2)])
      rows.push(
        ...(await queries.rows<{ cut?: boolean }>(
          `select json_build_object('id', t.id)::text as json from tasks t
           where t.workspace_id = current_workspace() and t.id = any($1::uuid[]) order by t.id`,
          [part],
        )),
      );
    return rows.map((row) => row.cut);
  });
  expect(cut).toEqual([false, false, true]);
});
