// A Project as a board: every column with its first cards and its count, and how each of them goes on.
import { describe, expect, test } from "vitest";
import { newProject, newProjectStatus, newTask, pages, trashTask, workshopOn } from "../../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();

type Column = {
  status: { id: string; name: string };
  total: number;
  total_capped: boolean;
  items: { id: string; title: string; position: number }[];
  next_cursor: string | null;
  next: string | null;
};
async function boardOf(person: Person, projectId: string, query = "") {
  const answer = await person.call("GET", `/projects/${projectId}/board${query}`);
  expect([answer.status, answer.trips], answer.text.slice(0, 300)).toEqual([200, 2]);
  const { columns }: { columns: Column[] } = answer.body;
  const named = (name: string) => columns.find(({ status }) => status.name === name) as Column;
  const { project, capabilities, included } = answer.body;
  return { project, capabilities, included, columns, named };
}
const titles = ({ items }: Pick<Column, "items">) => items.map(({ title }) => title);

/**
 * Many Tasks of one Status, in the order of their numbers; a thousand at a time, as a slow machine writes within a
 * statement's time.
 */
async function fill(workspaceId: string, projectId: string, statusId: string, actorId: string, many: number, from = 1) {
  for (let next = from; next < from + many; next += 1000)
    await running.sql(
      `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
       select $1, gen_random_uuid(), $2, 1000 + n, 'Filled ' || n, $3, 1000 + n, $4
       from generate_series($5::int, $6::int) n`,
      [workspaceId, projectId, statusId, actorId, next, Math.min(next + 999, from + many - 1)],
      workspaceId,
    );
}

describe("a board", () => {
  test("has every Status that applies, in workflow order, with its Tasks by position", async () => {
    const { home, owner, project } = await workshopOn(running);
    const own = await newProjectStatus(running, home, project.id, "Milling");
    await newProjectStatus(running, home, (await newProject(home)).id, "Elsewhere");
    const made = [];
    for (const title of ["a", "b", "c"]) made.push(await newTask(owner, project.id, { title, status_id: own }));
    for (const [at, position] of [30, 10, 20].entries())
      await owner.call("PATCH", `/tasks/${made[at].id}`, { body: { position }, ifMatch: "1" });
    await trashTask(running, home, (await newTask(owner, project.id, { title: "thrown away" })).id);
    const { columns, named, ...board } = await boardOf(owner, project.id);
    const listed = await owner.call("GET", `/projects/${project.id}/statuses`);
    expect(columns.map(({ status }) => status)).toEqual(listed.body.items);
    expect(titles(named("Milling"))).toEqual(["b", "c", "a"]);
    expect(columns.map(({ total, total_capped }) => [total, total_capped])).toEqual(
      columns.map(({ status }) => [status.name === "Milling" ? 3 : 0, false]),
    );
    expect(columns.map(({ next, next_cursor }) => next ?? next_cursor)).toEqual(columns.map(() => null));
    expect(board.project).toMatchObject({ id: project.id, key: project.key, name: project.name });
    expect(board.capabilities).toContain("work:write");
  });

  test("shows a card as the list does", async () => {
    const { owner, project, workspaceId } = await workshopOn(running);
    await newTask(owner, project.id, { description_markdown: "**Cut** them" });
    const { items } = (await owner.call("GET", `/workspaces/${workspaceId}/tasks`)).body;
    const { named } = await boardOf(owner, project.id);
    expect(named("Todo").items).toEqual(items);
  });

  test("has an archived Status only while Tasks are in it", async () => {
    const { home, owner, project, workspaceId } = await workshopOn(running);
    const own = await newProjectStatus(running, home, project.id, "Left over");
    await newProjectStatus(running, home, project.id, "Empty");
    await newTask(owner, project.id, { status_id: own });
    await running.sql("update statuses set archived_at = now() where project_id = $1", [project.id], workspaceId);
    const { columns } = await boardOf(owner, project.id);
    expect(columns.map(({ status }) => status.name)).toContain("Left over");
    expect(columns.map(({ status }) => status.name)).not.toContain("Empty");
  });

  test("shows the first cards of each column and goes on where the Workspace's list does, with the same filters", async () => {
    const { owner, project, workspaceId } = await workshopOn(running);
    const { status_id } = await newTask(owner, project.id, { title: "Other" });
    await fill(workspaceId, project.id, status_id, owner.actorId, 30);
    for (const filters of [
      "",
      "&text=filled",
      `&created_by_actor_id=${owner.actorId}&priority=none`,
      "&priority=!high,urgent",
    ]) {
      const { named } = await boardOf(owner, project.id, `?limit=7&include=people${filters}`);
      const { items, next, next_cursor, total } = named("Todo");
      expect([items.length, total]).toEqual([7, filters.includes("text") ? 30 : 31]);
      const list = `/workspaces/${workspaceId}/tasks?sort=position&project_id=${project.id}&status_id=${status_id}${filters}`;
      const all = await pages(owner, list, 100);
      const second = await owner.call("GET", (next as string).replace("/api/v1", ""));
      expect(second.body.items.length).toBe(7);
      expect([...items, ...second.body.items]).toEqual(all.items.slice(0, 14));
      expect(Object.keys(second.body.included.actors)).toEqual([owner.actorId]);
      const rest = await owner.call("GET", `${list}&cursor=${encodeURIComponent(next_cursor as string)}`);
      expect([...items, ...rest.body.items]).toEqual(all.items);
    }
  });

  test("gives a cursor that is good for its column, its filters and its caller, and for nothing else", async () => {
    const { home, owner, project, workspaceId } = await workshopOn(running);
    const other = await home.member("member");
    const { status_id } = await newTask(owner, project.id);
    await newTask(owner, project.id);
    const { named, columns } = await boardOf(owner, project.id, "?limit=1");
    const cursor = encodeURIComponent(named("Todo").next_cursor as string);
    const list = (status: string, more = "") =>
      `/workspaces/${workspaceId}/tasks?sort=position&project_id=${project.id}&status_id=${status}${more}&cursor=${cursor}`;
    expect((await owner.call("GET", list(status_id))).status).toBe(200);
    const refused = [
      await owner.call("GET", list(columns[0]?.status.id as string)),
      await owner.call("GET", list(status_id, "&priority=none")),
      await owner.call("GET", `/projects/${project.id}/tasks?status_id=${status_id}&cursor=${cursor}`),
      await other.call("GET", list(status_id)),
    ];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [400, "invalid_cursor"]));
  });

  test("takes 1 to 100 cards in a column, and 20 unasked", async () => {
    const { owner, project, workspaceId } = await workshopOn(running);
    const { status_id } = await newTask(owner, project.id);
    await fill(workspaceId, project.id, status_id, owner.actorId, 120);
    for (const [query, shown] of [
      ["", 20],
      ["?limit=1", 1],
      ["?limit=100", 100],
    ] as const)
      expect((await boardOf(owner, project.id, query)).named("Todo").items.length).toBe(shown);
    for (const query of ["limit=0", "limit=101", "limit=x", "cursor=x", "sort=position", "status_id=x"]) {
      const { status, body } = await owner.call("GET", `/projects/${project.id}/board?${query}`);
      expect([status, body.code], query).toEqual([400, "invalid_request"]);
    }
  });

  test("shows at most 1,000 cards together: with many columns each has fewer", async () => {
    const { home, owner, project, workspaceId } = await workshopOn(running);
    const own = await Promise.all(
      Array.from({ length: 19 }, (_, n) => newProjectStatus(running, home, project.id, `Step ${n}`)),
    );
    for (const id of own)
      await running.sql(
        `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
         select $1, gen_random_uuid(), $2, coalesce((select max(number) from tasks where project_id = $2), 0) + n, 'x',
           $3, n, $4 from generate_series(1, 60) n`,
        [workspaceId, project.id, id, owner.actorId],
        workspaceId,
      );
    const { columns } = await boardOf(owner, project.id, "?limit=100");
    expect(columns.length).toBe(25);
    expect(
      columns.filter(({ total }) => total > 0).map(({ total, items, next }) => [total, items.length, !next]),
    ).toEqual(own.map(() => [60, 40, false]));
  });

  test("counts up to 10,000 and says that there may be more; a column that is filtered goes on behind what was looked at", async () => {
    const { owner, project, workspaceId } = await workshopOn(running);
    const { id, status_id } = await newTask(owner, project.id, { title: "At the end" });
    await owner.call("PATCH", `/tasks/${id}`, { body: { position: 1e9 }, ifMatch: "1" });
    await fill(workspaceId, project.id, status_id, owner.actorId, 9_999);
    const todo = async (query: string) => (await boardOf(owner, project.id, query)).named("Todo");
    expect(await todo("?limit=1")).toMatchObject({ total: 10_000, total_capped: false });
    expect(await todo("?text=at%20the")).toMatchObject({ total: 1, total_capped: false, next: null });
    await fill(workspaceId, project.id, status_id, owner.actorId, 2, 20_000);
    expect(await todo("?limit=1")).toMatchObject({ total: 10_000, total_capped: true });
    const found = await todo("?text=at%20the");
    expect(found).toMatchObject({ total: 0, total_capped: true, items: [] });
    const rest = await owner.call("GET", (found.next as string).replace("/api/v1", ""));
    expect(titles(rest.body)).toEqual(["At the end"]);
  });

  test("narrows the cards and the counts by assignee, label, Milestone, priority and text, and keeps its columns", async () => {
    const { home, owner, project } = await workshopOn(running);
    const member = await home.member("member");
    const milestone = await owner.call("POST", `/projects/${project.id}/milestones`, {
      body: { name: "M" },
      key: newKey(),
    });
    const label = await owner.call("POST", `/projects/${project.id}/label-definitions`, { body: { name: "Brass" } });
    const wanted = await newTask(owner, project.id, {
      title: "Wanted",
      assignee_actor_id: member.actorId,
      milestone_id: milestone.body.id,
      priority: "high",
    });
    await owner.call("PUT", `/task/${wanted.id}/labels`, { body: { label_ids: [label.body.id] }, ifMatch: "1" });
    await newTask(owner, project.id, { title: "Other" });
    for (const [filter, expected] of [
      [`assignee_actor_id=${member.actorId}`, "Wanted"],
      ["assignee_actor_id=none", "Other"],
      [`label_id=${label.body.id}`, "Wanted"],
      [`milestone_id=${milestone.body.id}`, "Wanted"],
      ["milestone_id=none", "Other"],
      ["priority=high", "Wanted"],
      ["text=wANT", "Wanted"],
      ["priority=high,urgent", "Wanted"],
      ["priority=!high", "Other"],
      [`assignee_actor_id=!${member.actorId}`, "Other"],
      [`priority=high&label_id=${newId()}`, undefined],
    ] as const) {
      const { columns, named } = await boardOf(owner, project.id, `?${filter}`);
      expect([titles(named("Todo"))[0], named("Todo").total, columns.length], filter).toEqual([
        expected,
        expected === undefined ? 0 : 1,
        6,
      ]);
    }
  });

  test("brings along what its cards name, and counts with each card", async () => {
    const { owner, project } = await workshopOn(running);
    const task = await newTask(owner, project.id, { assignee_actor_id: owner.actorId });
    await owner.call("POST", `/tasks/${task.id}/comments`, { body: { markdown: "Hm." }, key: newKey() });
    const { included, named } = await boardOf(owner, project.id, "?include=status,assignee,counts,labels,project");
    expect(Object.keys(included.actors)).toEqual([owner.actorId]);
    expect(Object.keys(included.statuses)).toEqual([task.status_id]);
    expect(Object.keys(included.projects)).toEqual([project.id]);
    expect(named("Todo").items[0]).toMatchObject({ counts: { comments: 1, subtasks: 0, blocked: false } });
    const empty = await boardOf(owner, (await newProject(await world(running))).id).catch(() => null);
    expect(empty, "of another Workspace").toBeNull();
    const refused = await owner.call("GET", `/projects/${project.id}/board?include=description`);
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, "/query/include"]);
  });

  test("of an empty Project has its columns, and brings nothing along", async () => {
    const { owner, project } = await workshopOn(running);
    const { columns, included } = await boardOf(owner, project.id, "?include=assignee,counts");
    expect(columns.map(({ items }) => items)).toEqual(Array.from({ length: 6 }, () => []));
    expect(included).toEqual({ actors: {} });
  });
});

describe("who reads a board", () => {
  test("whoever sees the Project, with every credential of theirs; nobody else learns that it is there", async () => {
    const home = await world(running);
    const { owner } = home;
    const [viewer, stranger] = [await home.member("viewer"), await home.member("member")];
    const open = await newProject(home);
    const hidden = await newProject(home, { visibility: "private" });
    await newTask(owner, hidden.id);
    const read = (person: Person, id: string) => person.call("GET", `/projects/${id}/board`);
    expect((await read(viewer, open.id)).body.capabilities).toEqual(["work:read"]);
    expect((await read(stranger, hidden.id)).status).toBe(404);
    expect((await read((await world(running)).owner, open.id)).status).toBe(404);
    expect((await read(owner, newId())).status).toBe(404);
    const answer = await owner.bearer(await home.token(), "GET", `/projects/${hidden.id}/board`);
    expect([answer.status, answer.body.columns.length]).toEqual([200, 6]);
    expect((await running.send("GET", `/projects/${open.id}/board`)).status).toBe(401);
  });

  test("an archived Project is read, and nothing can be done in it", async () => {
    const { owner, project } = await workshopOn(running);
    await newTask(owner, project.id);
    await owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, headers: { "if-match": "*" } });
    const board = await boardOf(owner, project.id);
    expect([board.capabilities, board.named("Todo").total]).toEqual([["work:read"], 1]);
    expect(board.project.archived_at).not.toBeNull();
  });
});
