// Filters and orders of Tasks, on the list of the Workspace and on that of a Project alike: several values, negation,
// absence, ranges, labels, orders in both directions, and what is refused.
import { afterAll, beforeAll, expect, test } from "vitest";
import { whole } from "../../../../test/eventually.ts";
import { newMilestone, newProject, newTask, pages } from "../../../../test/work.ts";
import { type Person, service, type World, world } from "../../../../test/world.ts";
import { Connection } from "../../../platform/database/db.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const statuses = (await home.owner.call("GET", `/projects/${project.id}/statuses`)).body.items;
  const status = (name: string) => statuses.find((each: { name: string }) => each.name === name).id as string;
  const lists = [`/projects/${project.id}/tasks?`, `/workspaces/${home.workspaceId}/tasks?project_id=${project.id}&`];
  const task = (title: string, body: object = {}) => newTask(home.owner, project.id, { title, ...body });
  /** Titles by creation, which both lists have to agree on. */
  const found = async (query: string, person: Person = home.owner): Promise<string> => {
    const answers = await Promise.all(
      lists.map((path) => person.call("GET", `${path}sort=created&order=asc&${query}`)),
    );
    const [ofProject, ofWorkspace] = answers.map(({ status, trips, body, text }) => {
      expect([status, trips, body.complete], text).toEqual([200, 1, true]);
      return body.items.map(({ title }: { title: string }) => title).join("");
    });
    expect(ofProject, query).toBe(ofWorkspace);
    return ofProject;
  };
  return { ...home, home, project, lists, status, task, found };
}
const labelled = async ({ workspaceId, owner }: World, names: string[], projectId: string | null = null) => {
  const ids = names.map(() => newId());
  for (const [at, name] of names.entries())
    await running.sql(
      `insert into label_definitions (workspace_id, id, project_id, name, color, purpose, created_by_actor_id)
        values ($1, $2, $3, $4, 'red', 'task', $5)`,
      [workspaceId, ids[at], projectId, name, owner.actorId],
      workspaceId,
    );
  return ids as [string, string, ...string[]];
};
const setTask = ({ workspaceId }: World, { id }: { id: string }, set: string, value: unknown) =>
  running.sql(`update tasks set ${set} = $2 where id = $1`, [id, value], workspaceId);

test("a filter takes several values and finds any of them, or with ! none of them", async () => {
  const { owner, home, project, status, task, found } = await workshop();
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  const [m, n] = [await newMilestone(owner, project.id), await newMilestone(owner, project.id)];
  const of = (name: string, person: Person | null, milestone_id: string | null, priority: string) => ({
    status_id: status(name),
    assignee_actor_id: person?.actorId ?? null,
    milestone_id,
    priority,
  });
  await task("A", of("Todo", ada, m.id, "none"));
  await task("B", of("In Progress", bob, n.id, "low"));
  await task("C", of("Done", null, null, "urgent"));
  await newTask(ada, project.id, { title: "D", ...of("Todo", null, m.id, "low") });
  const cases: Record<string, string> = {
    [`status_id=${status("Todo")},${status("Done")}`]: "ACD",
    [`status_id=!${status("Todo")},${status("Done")}`]: "B",
    [`status_id=!${status("Todo").toUpperCase()}`]: "BC",
    "category=unstarted,completed": "ACD",
    "category=!unstarted": "BC",
    [`assignee_actor_id=${ada.actorId},${bob.actorId}`]: "AB",
    [`assignee_actor_id=!${ada.actorId}`]: "BCD",
    [`assignee_actor_id=!${ada.actorId},${bob.actorId}`]: "CD",
    "assignee_actor_id=none": "CD",
    "assignee_actor_id=!none": "AB",
    [`assignee_actor_id=none,${bob.actorId}`]: "BCD",
    [`assignee_actor_id=!none,${bob.actorId}`]: "A",
    [`milestone_id=${m.id},${n.id}`]: "ABD",
    [`milestone_id=${m.id}`]: "AD",
    [`milestone_id=!${m.id}`]: "BC",
    [`milestone_id=${n.id},none`]: "BC",
    "milestone_id=!none": "ABD",
    [`created_by_actor_id=!${owner.actorId}`]: "D",
    [`created_by_actor_id=${owner.actorId},${ada.actorId}`]: "ABCD",
    "priority=none,urgent": "AC",
    "priority=!none": "BCD",
    "priority=!low,urgent": "A",
    [`status_id=${status("Todo")}&assignee_actor_id=!none`]: "A",
    [`status_id=${status("Todo")},${status("Todo")}&priority=!none&milestone_id=${m.id},none`]: "D",
  };
  for (const [query, titles] of Object.entries(cases)) expect(await found(query), query).toBe(titles);
});

test("Projects are several values too, on the Workspace's list", async () => {
  const { home, owner, workspaceId, project, task } = await workshop();
  const [other, third] = [await newProject(home), await newProject(home)];
  await task("A");
  await newTask(owner, other.id, { title: "B" });
  await newTask(owner, third.id, { title: "C" });
  const found = async (filter: string) =>
    (await owner.call("GET", `/workspaces/${workspaceId}/tasks?sort=title&project_id=${filter}`)).body.items
      .map(({ title }: { title: string }) => title)
      .join("");
  expect(await found(`${project.id},${third.id}`)).toBe("AC");
  expect(await found(`!${project.id},${third.id}`)).toBe("B");
  const named = await owner.call("GET", `/projects/${project.id}/tasks?project_id=${project.id}`);
  expect(named.body.errors[0].pointer).toBe("/query/project_id");
});

test("labels: any of them, all of them, none of them, or no label at all", async () => {
  const { home, task, found } = await workshop();
  const [red, blue] = await labelled(home, ["Red", "Blue"]);
  for (const [title, labels] of Object.entries({ A: [red], B: [red, blue], C: [blue], D: [] }))
    await setTask(home, await task(title), "label_ids", labels);
  const cases: Record<string, string> = {
    [`label_id=${red},${blue}`]: "ABC",
    [`label_id=!${red}`]: "CD",
    [`label_id=!${red},${blue}`]: "D",
    "label_id=none": "D",
    "label_id=!none": "ABC",
    [`label_id=none,${blue}`]: "BCD",
    [`label_ids_all=${red},${blue}`]: "B",
    [`label_ids_all=${red}`]: "AB",
    [`label_ids_all=${blue}&label_id=!${red}`]: "C",
    [`label_ids_all=${red},${newId()}`]: "",
  };
  for (const [query, titles] of Object.entries(cases)) expect(await found(query), query).toBe(titles);
});

test("ranges of days include both ends, and ranges of moments begin with one and end before the other", async () => {
  const { home, task, found } = await workshop();
  for (const [at, title] of ["A", "B", "C"].entries()) {
    const made = await task(title, { start_date: `2026-01-0${at + 1}`, due_date: `2026-02-0${at + 1}` });
    for (const column of ["created_at", "updated_at", "completed_at"])
      await setTask(home, made, column, `2026-03-0${at + 1}T12:00:00.123456Z`);
  }
  await task("D");
  const [one, two, three] = [1, 2, 3].map((day) => `2026-03-0${day}T12:00:00.123456Z`);
  const cases: Record<string, string> = {
    "start_after=2026-01-02": "BC",
    "start_before=2026-01-02": "AB",
    "start_after=2026-01-02&start_before=2026-01-02": "B",
    "due_after=2026-02-02": "BC",
    "due_before=2026-02-02": "AB",
    [`created_after=${two}`]: "BCD",
    [`created_before=${two}`]: "A",
    [`created_after=${one}&created_before=${three}`]: "AB",
    [`updated_since=${two}&updated_before=${three}`]: "B",
    [`updated_before=${two}`]: "A",
    [`completed_after=${two}`]: "BC",
    [`completed_before=${three}`]: "AB",
    [`completed_before=${three}&text=a`]: "A",
  };
  for (const [query, titles] of Object.entries(cases)) expect(await found(query), query).toBe(titles);
});

test("a range of its own order is where a list begins and ends, in both directions", async () => {
  const { home, owner, lists, task } = await workshop();
  for (const [at, title] of ["A", "B", "C", "D"].entries())
    await setTask(
      home,
      await task(title, { due_date: `2026-02-0${at + 1}` }),
      "updated_at",
      `2026-03-0${at + 1}T00:00:00Z`,
    );
  const between: Record<string, string> = {
    "sort=due&due_after=2026-02-02&due_before=2026-02-03": "BC",
    "sort=updated&updated_since=2026-03-02T00:00:00Z&updated_before=2026-03-04T00:00:00Z": "BC",
    "sort=due&due_after=2026-02-03": "CD",
    "sort=updated&updated_before=2026-03-03T00:00:00Z": "AB",
  };
  for (const path of lists)
    for (const [query, titles] of Object.entries(between))
      for (const [order, expected] of [
        ["asc", titles],
        ["desc", [...titles].reverse().join("")],
      ] as const) {
        const { items } = await pages(owner, `${path}${query}&order=${order}`, 1);
        expect(items.map(({ title }) => title).join(""), query + order).toBe(expected);
      }
});

test("every order is turned round by order, page by page, and a Project's list is by number unless something else is asked", async () => {
  const { owner, lists, status, task } = await workshop();
  const status_id = status("Todo");
  for (const [at, title] of ["B", "a", "A", "b", "B"].entries())
    await task(title, { status_id, due_date: `2026-01-0${5 - at}`, priority: at % 2 ? "low" : "high" });
  const ids = async (path: string, query: string) => (await pages(owner, path + query, 2)).items.map(({ id }) => id);
  for (const sort of ["updated", "created", "due", "priority", "title", `position&status_id=${status_id}`]) {
    const [down, up] = await Promise.all(
      ["desc", "asc"].map((order) => ids(lists[0] as string, `sort=${sort}&order=${order}`)),
    );
    expect(up, sort).toHaveLength(5);
    expect(down?.toReversed(), sort).toEqual(up);
    expect(await ids(lists[1] as string, `sort=${sort}&order=asc`), sort).toEqual(up);
  }
  const [plain, byNumber] = await Promise.all(
    ["trashed=false", "sort=created&order=desc"].map((query) => ids(lists[0] as string, query)),
  );
  expect(plain).toEqual(byNumber);
});

test("titles are ordered by code point, whatever the language; equal ones by creation; and a cursor holds the longest", async () => {
  const { owner, lists, task, home, workspaceId } = await workshop();
  const long = "\u{1f600}".repeat(500);
  const titles = ["b", "Z", "a", "\u00e4", long, "z", "10", "9", "B", "a"];
  const made: { id: string }[] = [];
  for (const title of titles) made.push(await task(title));
  const elsewhere = await newTask(owner, (await newProject(home)).id, { title: "aa" });
  const sorted = ["10", "9", "B", "Z", "a", "a", "b", "z", "\u00e4", long];
  for (const path of lists) {
    const { items } = await pages(owner, `${path}sort=title`, 1);
    expect(items.map(({ title }) => title)).toEqual(sorted);
    expect(items.slice(4, 6).map(({ id }) => id)).toEqual([made[2]?.id, made[9]?.id]);
    const last = await owner.call("GET", `${path}sort=title&order=desc&limit=1`);
    expect([last.body.items[0].title, last.body.has_more]).toEqual([long, true]);
  }
  const all = await pages(owner, `/workspaces/${workspaceId}/tasks?sort=title&text=a`, 2);
  expect(all.items.map(({ id }) => id)).toEqual([made[2]?.id, made[9]?.id, elsewhere.id]);
});

test("fifty values are taken, and one more, a wrong one, an empty one or a second ! is refused with a pointer, on both lists", async () => {
  const { owner, lists } = await workshop();
  const ids = (count: number) => Array.from({ length: count }, newId).join(",");
  const filters = [
    "status_id",
    "assignee_actor_id",
    "created_by_actor_id",
    "milestone_id",
    "label_id",
    "label_ids_all",
  ];
  const wrong = (name: string) =>
    [
      ids(51),
      "x",
      "",
      `${newId()},`,
      `,${newId()}`,
      `${newId()},!${newId()}`,
      "!!none",
      "!",
      `${newId()}, ${newId()}`,
      `${newId()};${newId()}`,
    ].map((value) => [name, value] as const);
  const refused = [
    ...filters.flatMap(wrong),
    ["status_id", "none"],
    ["created_by_actor_id", "none"],
    ["label_ids_all", "none"],
    ["label_ids_all", `!${newId()}`],
    ["priority", "asap"],
    ["priority", "low,"],
    ["priority", "LOW"],
    ["category", "done,started"],
    ["start_after", "soon"],
    ["start_before", "2026-02-30"],
    ...["created_after", "created_before", "updated_before", "completed_after", "completed_before"].map(
      (name) => [name, "2026-01-01"] as const,
    ),
    ["order", "newest"],
    ["sort", "name"],
  ] as const;
  for (const path of lists) {
    for (const name of filters)
      for (const mark of name === "label_ids_all" ? [""] : ["", "!"])
        expect((await owner.call("GET", `${path}${name}=${mark}${ids(50)}`)).status, name).toBe(200);
    for (const [name, value] of refused) {
      const { status, body } = await owner.call("GET", `${path}${name}=${value}`);
      expect([status, body.errors?.[0].pointer], `${name}=${value}`).toEqual([400, `/query/${name}`]);
    }
  }
  for (const query of [
    "sort=position",
    `sort=position&status_id=${ids(2)}`,
    `sort=position&status_id=!${newId()}`,
    "trashed=true&sort=title",
  ])
    for (const path of lists)
      expect((await owner.call("GET", path + query)).body.errors[0].pointer, query).toBe("/query/sort");
});

test("a cursor goes on with the same filter and order, and with no other", async () => {
  const { owner, lists, status, task } = await workshop();
  for (const title of ["A", "B"]) await task(title);
  for (const path of lists) {
    const { next_cursor } = (await owner.call("GET", `${path}limit=1&status_id=!${status("Done")}&sort=title`)).body;
    const answer = (query: string) => owner.call("GET", `${path}${query}&cursor=${next_cursor}`);
    expect((await answer(`status_id=!${status("Done")}&sort=title`)).body.items).toHaveLength(1);
    for (const query of [
      `status_id=${status("Done")}&sort=title`,
      `status_id=!${status("Done")}`,
      `status_id=!${status("Done")}&sort=title&order=desc`,
    ])
      expect((await answer(query)).body.code, query).toBe("invalid_cursor");
  }
});

test("what belongs to a hidden Project finds no more than what never was, also among several values", async () => {
  const { home, owner, lists, task, workspaceId } = await workshop();
  const member = await home.member("member");
  const open = await task("Open");
  const hidden = await newProject(home, { visibility: "private" });
  const milestone = await newMilestone(owner, hidden.id);
  const [label] = await labelled(home, ["Secret"], hidden.id);
  const secret = await newTask(owner, hidden.id, { title: "Hidden", milestone_id: milestone.id });
  await setTask(home, secret, "label_ids", [label]);
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id,
     milestone_id, label_ids)
     select workspace_id, gen_random_uuid(), project_id, n, 'Hidden', status_id, n, created_by_actor_id, milestone_id,
       label_ids
     from tasks, generate_series(100, 920) n where id = $1`,
    [secret.id],
    workspaceId,
  );
  const ofWorkspace = `/workspaces/${workspaceId}/tasks?`;
  const named = { project_id: hidden.id, milestone_id: milestone.id, label_id: label, label_ids_all: label };
  for (const [name, id] of Object.entries(named))
    for (const sort of ["created", "title", ...(/^label/.test(name) ? [] : ["updated"])])
      for (const others of ["", `,${newId()}`]) {
        const asked = (value: string) =>
          whole(() => member.call("GET", `${ofWorkspace}${name}=${value}${others}&sort=${sort}`));
        const [there, never] = [(await asked(id)).body, (await asked(newId())).body];
        expect([there.items, there.has_more, there.complete], name + sort + others).toEqual([
          [],
          never.has_more,
          never.complete,
        ]);
      }
  const seen = await member.call("GET", `${ofWorkspace}project_id=${hidden.id},${open.project_id}`);
  expect(seen.body.items.map(({ id }: { id: string }) => id)).toEqual([open.id]);
  expect((await owner.call("GET", `${ofWorkspace}project_id=${hidden.id},${newId()}`)).body.items).toHaveLength(50);
  const foreign = await workshop();
  for (const path of [`/projects/${hidden.id}/tasks?`, foreign.lists[0]])
    expect((await member.call("GET", `${path}sort=title`)).status).toBe(404);
  expect((await member.call("GET", `${lists[0]}status_id=${foreign.status("Todo")},${newId()}`)).body.items).toEqual(
    [],
  );
});

const sent = new Set<string>();
const send = Connection.prototype.rows;
beforeAll(() => {
  Connection.prototype.rows = function rows<R>(this: Connection, sql: string, values?: unknown[]) {
    sent.add(sql);
    return send.call(this, sql, values) as Promise<R[]>;
  };
});
afterAll(() => {
  Connection.prototype.rows = send;
});

test("one statement answers a filter, however many values it has, negated or with none among them", async () => {
  const { owner, lists } = await workshop();
  const ids = (count: number) => Array.from({ length: count }, newId).join(",");
  for (const path of lists) {
    const statements = async (queries: string[]) => {
      sent.clear();
      for (const query of queries) expect((await owner.call("GET", path + query)).status).toBe(200);
      return [...sent].filter((sql) => sql.includes("from tasks t"));
    };
    for (const name of ["status_id", "assignee_actor_id", "milestone_id", "label_id"]) {
      const forms = [ids(2), ids(3), ids(50), `!${newId()}`, `!${ids(7)}`];
      if (name !== "status_id") forms.push("none", "!none", `none,${newId()}`);
      expect(await statements(forms.map((form) => `${name}=${form}`)), name).toHaveLength(1);
    }
    expect(
      await statements(["low,high", "!low", "none,low,medium,high,urgent"].map((form) => `priority=${form}`)),
    ).toHaveLength(1);
  }
});

test("a refusal says in words what a filter takes", async () => {
  const { owner, lists } = await workshop();
  const { errors } = (await owner.call("GET", `${lists[0]}priority=asap`)).body;
  expect(errors).toEqual([
    {
      pointer: "/query/priority",
      code: "wrong_format",
      detail:
        "does not fit: One or up to 50, separated by commas: none, low, medium, high, urgent. " +
        "A leading ! excludes the values.",
    },
  ]);
});
