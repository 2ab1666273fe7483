import { expect, test } from "vitest";
import { newMilestone, newProject, newTask, pages, trashTask } from "../../test/work.ts";
import { type Person, service, world } from "../../test/world.ts";
import { newId } from "../kernel/ids.ts";

const running = service();

async function board() {
  const home = await world(running);
  const project = await newProject(home);
  const path = `/workspaces/${home.workspaceId}/tasks`;
  const statuses = (await home.owner.call("GET", `/projects/${project.id}/statuses`)).body.items;
  const titles = async (query = "", person: Person = home.owner): Promise<string[]> => {
    const answer = await person.call("GET", `${path}?${query}`);
    expect([answer.status, answer.trips], answer.text).toEqual([200, 1]);
    return answer.body.items.map(({ title }: { title: string }) => title);
  };
  return {
    ...home,
    home,
    project,
    path,
    titles,
    status: (name: string) => statuses.find((status: { name: string }) => status.name === name).id as string,
    task: (title: string, body: object = {}) => newTask(home.owner, project.id, { title, ...body }),
  };
}

test("the latest change comes first, whatever the priority", async () => {
  const { owner, task, titles } = await board();
  const first = await task("One", { priority: "low" });
  await task("Two", { priority: "urgent" });
  await task("Three");
  expect(await titles()).toEqual(["Three", "Two", "One"]);
  await owner.call("PATCH", `/tasks/${first.id}`, { body: { priority: "high" }, ifMatch: "1" });
  expect(await titles()).toEqual(["One", "Three", "Two"]);
  expect(await titles("sort=created")).toEqual(["Three", "Two", "One"]);
  expect(await titles("sort=priority")).toEqual(["Two", "One", "Three"]);
});

test("by due date the soonest comes first, and Tasks without one are left out", async () => {
  const { task, titles } = await board();
  await task("Late", { due_date: "2027-03-01" });
  await task("Never");
  await task("Soon", { due_date: "2027-01-01" });
  expect(await titles("sort=due")).toEqual(["Soon", "Late"]);
  expect(await titles("sort=due&due_before=2027-01-01")).toEqual(["Soon"]);
  expect(await titles("due_after=2027-03-01")).toEqual(["Late"]);
  expect(await titles("due_after=2027-03-02")).toEqual([]);
});

test("every filter narrows, alone and together with every order", async () => {
  const { home, owner, project, status, titles, workspaceId } = await board();
  const elsewhere = await newProject(home);
  const member = await home.member("member");
  const milestone = await newMilestone(owner, project.id);
  const wanted = await newTask(member, project.id, {
    title: "Cut 100% of the GEARS",
    status_id: status("In Progress"),
    assignee_actor_id: member.actorId,
    milestone_id: milestone.id,
    priority: "high",
    due_date: "2027-01-01",
  });
  const label = newId();
  await running.sql(
    "insert into label_definitions (workspace_id, id, name, color, purpose, created_by_actor_id) values ($1, $2, 'Noisy', 'red', 'task', $3)",
    [workspaceId, label, owner.actorId],
    workspaceId,
  );
  await running.sql("update tasks set label_ids = array[$2::uuid] where id = $1", [wanted.id, label], workspaceId);
  await running.sql("update tasks set updated_at = '2026-01-01' where id <> $1", [wanted.id], workspaceId);
  await newTask(owner, elsewhere.id, { title: "Other", due_date: "2027-05-01" });
  await running.sql("update tasks set updated_at = '2026-01-01' where id <> $1", [wanted.id], workspaceId);
  const filters = [
    `project_id=${project.id}`,
    `status_id=${status("In Progress")}`,
    "category=started",
    `assignee_actor_id=${member.actorId}`,
    `label_id=${label}`,
    `milestone_id=${milestone.id}`,
    "priority=high",
    "due_before=2027-01-01",
    "due_after=2027-01-01&due_before=2027-01-02",
    `created_by_actor_id=${member.actorId}`,
    "text=100%25%20of%20the%20gears",
    "updated_since=2026-01-02T00:00:00Z",
  ];
  const title = [wanted.title];
  for (const sort of ["", "&sort=updated", "&sort=created", "&sort=due", "&sort=priority"]) {
    for (const filter of filters) expect(await titles(filter + sort), filter + sort).toEqual(title);
    expect(await titles(filters.filter((one) => one !== "due_before=2027-01-01").join("&") + sort), sort).toEqual(
      title,
    );
  }
  expect(await titles("assignee_actor_id=none")).toEqual(["Other"]);
  expect(await titles("milestone_id=none")).toEqual(["Other"]);
  expect(await titles(`project_id=${elsewhere.id}&category=started`)).toEqual([]);
});

test("the trash is listed for itself, latest first", async () => {
  const { home, owner, path, task, titles } = await board();
  const [one, two] = [await task("One"), await task("Two")];
  await task("Kept");
  await trashTask(running, home, one.id);
  await trashTask(running, home, two.id);
  expect(await titles("trashed=true")).toEqual(["Two", "One"]);
  expect(await titles("trashed=false")).toEqual(["Kept"]);
  for (const sort of ["updated", "created", "priority", "due"]) expect(await titles(`sort=${sort}&text=o`)).toEqual([]);
  expect((await owner.call("GET", `${path}?trashed=true&sort=due`)).body.errors[0].pointer).toBe("/query/sort");
});

test("pages of every order hold every Task once", async () => {
  const { owner, path, project, task } = await board();
  const priorities = ["none", "low", "high", "urgent"];
  for (let count = 0; count < 9; count++)
    await task(`Task ${count}`, { priority: priorities[count % 4], due_date: `2027-01-0${1 + (count % 3)}` });
  const narrowed = [`&project_id=${project.id}`, `&created_by_actor_id=${owner.actorId}`, ""];
  for (const sort of ["updated", "created", "due", "priority"])
    for (const filter of narrowed) {
      const { items } = await pages(owner, `${path}?sort=${sort}${filter}`, 4);
      expect(new Set(items.map(({ id }) => id)).size, sort + filter).toBe(9);
      expect(items).toHaveLength(9);
    }
});

test("a page that finds little says where to go on, and nothing is lost", async () => {
  const { owner, path, project, task, workspaceId } = await board();
  const needle = await task("Needle");
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
     select workspace_id, gen_random_uuid(), project_id, n, 'Hay', status_id, n, created_by_actor_id
     from tasks, generate_series(100, 1800) n where id = $1`,
    [needle.id],
    workspaceId,
  );
  const first = await owner.call("GET", `${path}?text=needle`);
  expect([first.body.items, first.body.has_more]).toEqual([[], true]);
  for (const sort of ["updated", "created", "priority"]) {
    const all = await pages(owner, `${path}?text=needle&sort=${sort}&project_id=${project.id}`, 50);
    expect([all.items.length, all.pages], sort).toEqual([1, 3]);
  }
});

test("nobody sees the Tasks of a private Project that is not theirs, nor of another Workspace", async () => {
  const { home, owner, titles, task } = await board();
  await task("Open");
  const hidden = await newProject(home, { visibility: "private" });
  await newTask(owner, hidden.id, { title: "Hidden" });
  const foreign = await board();
  await foreign.task("Foreign");
  const [member, viewer] = [await home.member("member"), await home.member("viewer")];
  for (const person of [member, viewer]) {
    expect(await titles("", person)).toEqual(["Open"]);
    expect(await titles(`project_id=${hidden.id}`, person)).toEqual([]);
  }
  expect(await titles()).toEqual(["Hidden", "Open"]);
});

test("malformed filters are refused with a pointer", async () => {
  const { owner, path } = await board();
  const wrong = [
    "project_id=x",
    "assignee_actor_id=nobody",
    "priority=asap",
    "due_before=soon",
    "sort=title",
    "text=",
    "category=done",
  ];
  const times = ["yesterday", "0000-01-01T00:00:00Z", "2026-01-01T00:00:00%2B16:00"].map(
    (time) => `updated_since=${time}`,
  );
  for (const filter of [...wrong, "trashed=maybe", ...times]) {
    const { status, body } = await owner.call("GET", `${path}?${filter}`);
    expect([status, body.errors[0].pointer]).toEqual([400, `/query/${filter.split("=")[0]}`]);
  }
});
