import { expect, test } from "vitest";
import { whole } from "../../../../test/eventually.ts";
import { newMilestone, newProject, newProjectStatus, newTask, pages, trashTask } from "../../../../test/work.ts";
import { type Person, service, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

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
    `insert into label_definitions (workspace_id, id, name, color, purpose, created_by_actor_id)
      values ($1, $2, 'Noisy', 'red', 'task', $3)`,
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

test("what an index finds in the order of creation, and what is in a Milestone, is found without looking through the rest", async () => {
  const { home, owner, path, project, status, task, workspaceId } = await board();
  const member = await home.member("member");
  const milestone = await newMilestone(owner, project.id);
  const needle = await newTask(member, project.id, {
    assignee_actor_id: member.actorId,
    milestone_id: milestone.id,
    status_id: status("Done"),
  });
  const [beside, elsewhere] = [await task("Hay"), await newTask(owner, (await newProject(home)).id)];
  for (const { id } of [beside, elsewhere])
    await running.sql(
      `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
       select workspace_id, ('f' || right(gen_random_uuid()::text, 35))::uuid, project_id, n, 'Hay', status_id, n,
         created_by_actor_id
       from tasks, generate_series(100, 950) n where id = $1`,
      [id],
      workspaceId,
    );
  const [of, by] = [`assignee_actor_id=${member.actorId}`, `created_by_actor_id=${member.actorId}`];
  const [inStatus, inMilestone] = [`status_id=${status("Done")}`, `milestone_id=${milestone.id}`];
  const inProject = `project_id=${project.id}`;
  const created = [
    [of],
    [by],
    [inStatus],
    [inMilestone],
    [inProject, of],
    [inProject, inStatus],
    [inProject, of, inStatus],
  ]
    .concat([
      [inMilestone, of],
      [inMilestone, inStatus],
    ])
    .map((filters) => ["sort=created", ...filters]);
  for (const filters of created) {
    const { body } = await whole(() => owner.call("GET", `${path}?${filters.join("&")}`));
    expect([body.items.map(({ id }: { id: string }) => id), body.has_more], filters.join()).toEqual([
      [needle.id],
      false,
    ]);
  }
  // All of the other Project has changed since, and is not looked at.
  await running.sql("update tasks set updated_at = now() where project_id = $1", [elsewhere.project_id], workspaceId);
  for (const sort of ["updated", "priority"]) {
    const found = await whole(() => owner.call("GET", `${path}?sort=${sort}&${inMilestone}`));
    expect([found.body.items.length, found.body.complete, found.trips], sort).toEqual([1, true, 2]);
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

test("a hidden Project, and what belongs to it, finds no more than what never was, however much is in it", async () => {
  const { home, owner, path, workspaceId } = await board();
  const member = await home.member("member");
  const hidden = await newProject(home, { visibility: "private" });
  const [milestone, status, label] = [
    await newMilestone(owner, hidden.id),
    await newProjectStatus(running, home, hidden.id, "Own"),
    newId(),
  ];
  await running.sql(
    `insert into label_definitions (workspace_id, id, project_id, name, color, purpose, created_by_actor_id)
      values ($1, $2, $3, 'Noisy', 'red', 'task', $4)`,
    [workspaceId, label, hidden.id, owner.actorId],
    workspaceId,
  );
  const { id } = await newTask(owner, hidden.id, { milestone_id: milestone.id, status_id: status });
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id,
     milestone_id, label_ids)
     select workspace_id, gen_random_uuid(), project_id, n, 'Hidden', status_id, n, created_by_actor_id, milestone_id,
       array[$2::uuid]
     from tasks, generate_series(100, 920) n where id = $1`,
    [id, label],
    workspaceId,
  );
  const named = { project_id: hidden.id, milestone_id: milestone.id, status_id: status, label_id: label };
  for (const [filter, value] of Object.entries(named))
    for (const sort of [
      "created",
      ...(filter === "project_id" || filter === "milestone_id" ? ["updated", "priority"] : []),
    ]) {
      const answers = [value, newId()].map((one) => member.call("GET", `${path}?${filter}=${one}&sort=${sort}`));
      const [there, never] = await Promise.all(answers);
      expect(there?.body, filter + sort).toEqual(never?.body);
      expect(
        (await owner.call("GET", `${path}?${filter}=${value}&sort=${sort}`)).body.items,
        filter + sort,
      ).toHaveLength(50);
    }
  const column = (project: string, own: string) =>
    member.call("GET", `${path}?sort=position&project_id=${project}&status_id=${own}`);
  const foreign = await board();
  const columns = [
    column(hidden.id, status),
    column(newId(), newId()),
    column(foreign.project.id, foreign.status("Todo")),
  ];
  for (const { body } of await Promise.all(columns))
    expect([body.items, body.has_more, body.next_cursor]).toEqual([[], false, null]);
});

test("the Tasks of a Status are listed in the order that people have given them, and only those of one Status", async () => {
  const { owner, project, task, path, status: named } = await board();
  const status = named("Todo");
  const made: { id: string }[] = [];
  for (const title of ["One", "Two", "Three", "Four"]) made.push(await task(title, { status_id: status }));
  await task("Elsewhere", { status_id: named("Done") });
  const put = (at: number, position: number) =>
    owner.call("PATCH", `/tasks/${made[at]?.id}`, { body: { position }, ifMatch: "1" });
  for (const [at, position] of [
    [3, -2.5],
    [0, 1e12],
    [1, -2.5],
  ] as const)
    expect((await put(at, position)).status).toBe(200);
  const column = `${path}?sort=position&project_id=${project.id}&status_id=${status}`;
  const { items } = await pages(owner, column, 1);
  expect(items.map(({ title }) => title)).toEqual(["Three", "Two", "Four", "One"]);
  for (const query of ["", `&project_id=${project.id}`, `&status_id=${status}`]) {
    const { body } = await owner.call("GET", `${path}?sort=position${query}`);
    expect([body.code, body.errors[0].pointer]).toEqual(["invalid_request", "/query/sort"]);
  }
});

test("malformed filters are refused with a pointer", async () => {
  const { owner, path } = await board();
  const wrong = [
    "project_id=x",
    "assignee_actor_id=nobody",
    "priority=asap",
    "due_before=soon",
    "sort=name",
    "order=up",
    "text=",
    "category=done",
  ];
  const times = [
    "yesterday",
    "0000-01-01T00:00:00Z",
    "2026-01-01T00:00:00%2B16:00",
    "2026-01-01%C2%A000:00:00Z",
    "2026-01-01%E3%80%8000:00:00Z",
    `2026-01-01T00:00:00.${"1".repeat(200)}Z`,
  ].map((time) => `updated_since=${time}`);
  for (const filter of [...wrong, "trashed=maybe", ...times]) {
    const { status, body } = await owner.call("GET", `${path}?${filter}`);
    expect([status, body.errors[0].pointer]).toEqual([400, `/query/${filter.split("=")[0]}`]);
  }
});
