// What a feed says of a change: from what to what, by the names that the reader may read now, for every registered kind
// of activity.
import { activityTypes } from "@svc/contract/types.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { joinProject, newComment, newMilestone, newProject, newTask, pages } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { type ActivityEvent, changesOf } from "./changes.ts";

const running = service();

interface Reference {
  id: string | null;
  code: string | null;
  name: string | null;
}
interface Change {
  resource_id: string;
  field: string;
  from?: unknown;
  to?: unknown;
}
interface Item {
  action: string;
  count: number;
  changes: Change[];
}
const HIDDEN: Reference = { id: null, code: null, name: null };

const any = { headers: { "if-match": "*" } };
async function sent(person: Person, method: string, path: string, body?: object) {
  const answer = await person.call(method, path, { body, ...any });
  expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300);
  return answer.body;
}
async function itemsOf(person: Person, path: string): Promise<Item[]> {
  const answer = await person.call("GET", path);
  expect([answer.status, answer.trips], answer.text).toEqual([200, 1]);
  return answer.body.items;
}
/** What the newest item says, without the resource where that is the one thing it is about. */
async function newest(person: Person, path: string) {
  const [item] = await itemsOf(person, path);
  return (item as Item).changes.map(({ resource_id: _, ...change }) => change);
}

let home: World;
let owner: Person;
const named: Record<string, (name: string) => Reference> = {};
beforeAll(async () => {
  home = await world(running);
  owner = home.owner;
  const byName = (list: { id: string; name: string }[]) => (name: string) => ({
    id: list.find((each) => each.name === name)?.id as string,
    code: null,
    name,
  });
  const read = async (what: string) => (await owner.call("GET", `/workspaces/${home.workspaceId}/${what}`)).body;
  named.status = byName((await read("statuses")).items);
  named.stage = byName((await read("milestone-lifecycle")).stages);
  named.state = byName((await read("project-states")).items);
});
const status = (name: string) => named.status?.(name) as Reference;
const stage = (name: string) => named.stage?.(name) as Reference;

describe("each kind of change of a Task", () => {
  let task: { id: string; code: string };
  let project: { id: string; key: string; name: string };
  let feed: string;
  const change = async (body: object) => {
    await sent(owner, "PATCH", `/tasks/${task.id}`, body);
    return newest(owner, feed);
  };
  beforeAll(async () => {
    project = await newProject(home);
    task = await newTask(owner, project.id, { title: "Cut brass", status_id: status("Todo").id });
    feed = `/tasks/${task.id}/activity`;
  });

  test("creation: its title and Status, from nothing", async () => {
    expect(await newest(owner, feed)).toEqual([
      { field: "title", from: null, to: "Cut brass" },
      { field: "status", from: null, to: status("Todo") },
    ]);
  });
  test("progress: the Status by its name", async () => {
    expect(await change({ status_id: status("In Progress").id })).toEqual([
      { field: "status", from: status("Todo"), to: status("In Progress") },
    ]);
  });
  test("ownership: the people by their names, and nobody", async () => {
    const member = await home.member("member");
    const person = (of: Person) => ({ id: of.actorId, code: null, name: `Person ${of.userId.slice(-4)}` });
    expect(await change({ assignee_actor_id: member.actorId })).toEqual([
      { field: "assignee", from: null, to: person(member) },
    ]);
  });
  test("deadline, priority, Milestone and description in one command are one item with each of them", async () => {
    const milestone = await newMilestone(owner, project.id);
    const body = {
      due_date: "2027-01-01",
      priority: "high",
      milestone_id: milestone.id,
      description_markdown: "xyzzy",
    };
    const before = (await owner.call("GET", `/tasks/${task.id}`)).body.revision;
    expect(await change(body)).toEqual([
      { field: "due_date", from: null, to: "2027-01-01" },
      { field: "priority", from: "none", to: "high" },
      { field: "milestone", from: null, to: { id: milestone.id, code: milestone.code, name: milestone.name } },
      { field: "description", from: { revision: before }, to: { revision: String(Number(before) + 1) } },
    ]);
    expect((await owner.call("GET", feed)).text).not.toContain("xyzzy");
  });
  test("trash and back", async () => {
    await sent(owner, "POST", `/tasks/${task.id}/trash`);
    expect(await newest(owner, feed)).toEqual([{ field: "trashed_at", from: null, to: expect.any(String) }]);
    await sent(owner, "POST", `/tasks/${task.id}/restore`);
    expect(await newest(owner, feed)).toEqual([{ field: "trashed_at", from: expect.any(String), to: null }]);
  });
  test("a move: Project, code and what else it changes", async () => {
    const other = await newProject(home);
    await sent(owner, "POST", `/tasks/${task.id}/move`, { project_id: other.id });
    const moved = await newest(owner, feed);
    expect(moved).toContainEqual({
      field: "project",
      from: { id: project.id, code: project.key, name: project.name },
      to: { id: other.id, code: other.key, name: other.name },
    });
    expect(moved).toContainEqual({ field: "code", from: task.code, to: `${other.key}-1` });
    expect(moved.map(({ field }) => field).sort()).toEqual(["code", "milestone", "project"]);
  });
  test("blocking dependencies: the type is the field, and the other Task its value; of several each is told", async () => {
    const [one, two] = [await newTask(owner, project.id), await newTask(owner, project.id)];
    const relate = (id: string) =>
      sent(owner, "POST", `/tasks/${task.id}/relations`, { type: "blocks", related_task_id: id });
    const { id } = await relate(one.id);
    await relate(two.id);
    const other = (of: { id: string; code: string; title: string }) => ({ id: of.id, code: of.code, name: of.title });
    const told = (await itemsOf(owner, feed))[0] as Item;
    expect([told.count, told.changes]).toEqual([
      2,
      [
        { resource_id: task.id, field: "blocks", from: null, to: other(one) },
        { resource_id: task.id, field: "blocks", from: null, to: other(two) },
      ],
    ]);
    await sent(owner, "PATCH", `/task-relations/${id}`, { type: "blocked_by", task_id: task.id });
    expect(await newest(owner, feed)).toEqual([
      { field: "blocks", from: other(one), to: null },
      { field: "blocked_by", from: null, to: other(one) },
    ]);
    await sent(owner, "DELETE", `/task-relations/${id}`);
    expect(await newest(owner, feed)).toEqual([{ field: "blocked_by", from: other(one), to: null }]);
  });
  test("comments: the revisions of the text, and not one word of it", async () => {
    const comment = await newComment(owner, task.id, "xyzzy");
    expect(await newest(owner, feed)).toEqual([{ field: "markdown", from: null, to: { revision: "1" } }]);
    await sent(owner, "PATCH", `/comments/${comment.id}`, { markdown: "plugh" });
    expect(await newest(owner, feed)).toEqual([{ field: "markdown", from: { revision: "1" }, to: { revision: "2" } }]);
    await sent(owner, "DELETE", `/comments/${comment.id}`);
    expect(await newest(owner, feed)).toEqual([{ field: "markdown", from: { revision: "2" }, to: null }]);
    expect((await owner.call("GET", feed)).text).not.toMatch(/xyzzy|plugh/);
  });
  test("a Task that is deleted tells nothing any more", async () => {
    await sent(owner, "POST", `/tasks/${task.id}/trash`);
    await sent(owner, "DELETE", `/tasks/${task.id}`);
    const items = await itemsOf(owner, `/workspaces/${home.workspaceId}/activity`);
    const own = items.filter(({ changes }) => changes.some(({ resource_id }) => resource_id === task.id));
    expect(own.flatMap(({ changes }) => changes).filter(({ field }) => field !== "markdown")).toEqual([]);
  });
});

test("a Project and a Milestone tell their fields, states and stages by name, and texts by their revisions", async () => {
  const project = await newProject(home);
  const feed = `/projects/${project.id}/activity`;
  expect(await newest(owner, feed)).toEqual([{ field: "name", from: null, to: project.name }]);
  const done = named.state?.("Completed") as Reference;
  const body = { name: "Analytical", description_markdown: "xyzzy", target_date: "2027-02-03", color: "red" };
  await sent(owner, "PATCH", `/projects/${project.id}`, { ...body, state_id: done.id });
  const told = await newest(owner, feed);
  expect(told).toEqual(
    expect.arrayContaining([
      { field: "name", from: project.name, to: "Analytical" },
      { field: "description", from: { revision: "1" }, to: { revision: "2" } },
      { field: "target_date", from: null, to: "2027-02-03" },
    ]),
  );
  expect(told.map(({ field }) => field)).not.toContain("color");
  const start = { id: project.state_id, code: null, name: expect.any(String) };
  expect(told).toContainEqual({ field: "state", from: start, to: done });
  await sent(owner, "PATCH", `/projects/${project.id}`, { state_id: project.state_id });
  const milestone = await newMilestone(owner, project.id);
  await sent(owner, "PATCH", `/milestones/${milestone.id}`, { stage_id: stage("Active").id, name: "Second" });
  expect(await newest(owner, feed)).toEqual([
    { field: "stage", from: stage("Planned"), to: stage("Active") },
    { field: "name", from: milestone.name, to: "Second" },
  ]);
  const other = await newProject(home);
  await sent(owner, "PATCH", `/projects/${other.id}`, { archived: true });
  expect(await newest(owner, `/projects/${other.id}/activity`)).toEqual([
    { field: "archived_at", from: null, to: expect.any(String) },
  ]);
  expect((await owner.call("GET", feed)).text).not.toContain("xyzzy");
});

test("an item that stands for several events goes from the oldest's from to the newest's to, of each resource", async () => {
  const project = await newProject(home);
  const tasks = [await newTask(owner, project.id), await newTask(owner, project.id)];
  for (const priority of ["low", "medium", "high"]) await sent(owner, "PATCH", `/tasks/${tasks[0]?.id}`, { priority });
  const [session] = await itemsOf(owner, `/tasks/${tasks[0]?.id}/activity`);
  expect(session).toMatchObject({ count: 3, changes: [{ field: "priority", from: "none", to: "high" }] });
  expect(session?.changes).toHaveLength(1);
  await sent(owner, "POST", `/workspaces/${home.workspaceId}/tasks/bulk`, {
    task_ids: tasks.map(({ id }) => id),
    changes: { priority: "urgent" },
  });
  const [bulk] = await itemsOf(owner, `/projects/${project.id}/activity`);
  expect(bulk?.changes).toEqual([
    { resource_id: tasks[0]?.id, field: "priority", from: "high", to: "urgent" },
    { resource_id: tasks[1]?.id, field: "priority", from: "none", to: "urgent" },
  ]);
});

test("what the reader does not see now has neither id nor name nor code; it has them again once they see it", async () => {
  const [hidden, open] = [await newProject(home, { visibility: "private" }), await newProject(home)];
  const milling = await sent(owner, "POST", `/projects/${hidden.id}/statuses`, {
    name: "Milling",
    category: "started",
  });
  const milestone = await newMilestone(owner, hidden.id, { name: "Secret" });
  const given = { status_id: milling.id, milestone_id: milestone.id };
  const [task, blocker] = [await newTask(owner, hidden.id, given), await newTask(owner, hidden.id)];
  await sent(owner, "POST", `/tasks/${task.id}/move`, { project_id: open.id });
  await sent(owner, "POST", `/tasks/${task.id}/relations`, { type: "blocked_by", related_task_id: blocker.id });
  const member = await home.member("member");
  const feed = `/tasks/${task.id}/activity`;
  const [blocked, moved, created] = await itemsOf(member, feed);
  expect(blocked?.changes).toEqual([{ resource_id: task.id, field: "blocked_by", from: null, to: HIDDEN }]);
  const told = Object.fromEntries((moved as Item).changes.map(({ field, from, to }) => [field, { from, to }]));
  expect(told.project).toEqual({ from: HIDDEN, to: { id: open.id, code: open.key, name: open.name } });
  expect(told.status?.from).toEqual(HIDDEN);
  expect(told.milestone).toEqual({ from: HIDDEN, to: null });
  expect(told.code).toEqual({ from: null, to: `${open.key}-1` });
  expect(created?.changes).toContainEqual({ resource_id: task.id, field: "status", from: null, to: HIDDEN });
  const { text } = await member.call("GET", `${feed}?include=people,project,task`);
  for (const secret of [hidden.id, hidden.key, milling.id, "Milling", milestone.id, "Secret", blocker.id])
    expect(text).not.toContain(secret);
  await joinProject(home, hidden.id, member, "viewer");
  const [, again] = await itemsOf(member, feed);
  expect(again?.changes.find(({ field }) => field === "project")?.from).toMatchObject({ id: hidden.id });
});

test("all feeds say the same, and bring people, Projects and Tasks along, in one round-trip", async () => {
  const member = await home.member("member");
  const project = await newProject(home, {}, member);
  const [task, other] = [await newTask(member, project.id), await newTask(member, project.id)];
  await sent(member, "POST", `/tasks/${task.id}/relations`, { type: "blocks", related_task_id: other.id });
  await sent(member, "PATCH", `/tasks/${task.id}`, { assignee_actor_id: owner.actorId, priority: "low" });
  const { username } = (await member.call("GET", "/me")).body;
  const paths = [
    `/workspaces/${home.workspaceId}/activity`,
    `/projects/${project.id}/activity`,
    `/tasks/${task.id}/activity`,
    `/workspaces/${home.workspaceId}/people/${username ?? member.userId}/activity`,
    `/projects/${project.id}/overview`,
  ];
  for (const path of paths) {
    const answer = await member.call("GET", `${path}?include=people,project,task`);
    expect([answer.status, answer.trips], `${path} ${answer.text}`).toEqual([200, 1]);
    const items = answer.body.items ?? answer.body.recent_activity;
    expect(items[0].changes, path).toEqual([
      {
        resource_id: task.id,
        field: "assignee",
        from: null,
        to: { id: owner.actorId, code: null, name: `Person ${owner.userId.slice(-4)}` },
      },
      { resource_id: task.id, field: "priority", from: "none", to: "low" },
    ]);
    expect(items[0].affected[0]).toMatchObject({ project_id: project.id, task_id: task.id });
    const { actors, projects, tasks } = answer.body.included;
    expect(Object.keys(actors), path).toEqual(expect.arrayContaining([member.actorId, owner.actorId]));
    expect(projects[project.id].key).toBe(project.key);
    expect([tasks[task.id].code, tasks[other.id].code]).toEqual([task.code, other.code]);
    expect((await member.call("GET", path)).body).not.toHaveProperty("included");
  }
});

test("what is brought along is what the page shows, also of a command that is longer than the page, and not what comes next", async () => {
  const project = await newProject(home);
  const [before, ...tasks] = [
    await newTask(owner, project.id),
    await newTask(owner, project.id),
    await newTask(owner, project.id),
    await newTask(owner, project.id),
  ];
  await sent(owner, "PATCH", `/tasks/${before?.id}`, { priority: "low" });
  await sent(owner, "POST", `/workspaces/${home.workspaceId}/tasks/bulk`, {
    task_ids: tasks.map(({ id }) => id),
    changes: { priority: "urgent" },
  });
  const { body } = await owner.call("GET", `/projects/${project.id}/activity?limit=1&include=task`);
  expect(body.items[0].count).toBe(3);
  expect(Object.keys(body.included.tasks).sort()).toEqual(tasks.map(({ id }) => id).sort());
});

test("events from before kept less: they say what they have", () => {
  const told = (type: string, parts: ActivityEvent["told"]): ActivityEvent => ({
    type,
    affected: { id: "one" },
    told: parts,
    names: null,
  });
  expect(changesOf([told("project.updated", { fields: ["archived", "name", "visibility"] })])).toEqual([
    { resource_id: "one", field: "archived" },
    { resource_id: "one", field: "name" },
  ]);
  expect(changesOf([told("task.status_changed", {})])).toEqual([]);
});

test("whatever else an event keeps is told to nobody", () => {
  const event = {
    type: "task.created",
    affected: { id: "one" },
    told: { to: { title: "Copy", duplicate_of: "hidden" } },
    names: null,
  };
  expect(changesOf([event])).toEqual([{ resource_id: "one", field: "title", from: null, to: "Copy" }]);
});

test("every registered type of activity that there is tells what changed", async () => {
  const task = await newTask(owner, (await newProject(home)).id);
  await sent(owner, "PATCH", `/tasks/${task.id}`, { due_date: "2027-01-01" });
  await sent(owner, "PATCH", `/tasks/${task.id}`, { description_markdown: "How" });
  const { items } = await pages(owner, `/workspaces/${home.workspaceId}/activity`, 100);
  const telling = new Set(items.filter(({ changes }) => (changes as Change[]).length > 0).map(({ type }) => type));
  // There are no Documents yet.
  expect([...telling].sort()).toEqual(activityTypes.filter((type) => type !== "document").sort());
});
