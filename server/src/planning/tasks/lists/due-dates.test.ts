// The filter by due date: what each word means on which day, in whose calendar, on every list that takes it, and what
// is refused.
import { afterAll, beforeAll, expect, test } from "vitest";
import { keep, send } from "../../../../test/native-work.ts";
import { newTask, pages, refusalOf, workshopOn } from "../../../../test/work.ts";
import { type Person, service } from "../../../../test/world.ts";
import { Connection } from "../../../platform/database/db.ts";

const running = service();
const zones = ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"];
/** So many days from today, where it is the day of this zone. */
function dayIn(zone: string, days: number): string {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(new Date());
  return new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);
}
const live = (person: Person, zone: string) =>
  running.sql("update users set timezone = $2 where id = $1", [person.userId, zone]);

/**
 * Open Tasks that are named by their days from today, one without a date, and one that is done and one cancelled, both
 * due yesterday.
 */
async function workshop(zone = "UTC") {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  await live(owner, zone);
  const statuses = (await owner.call("GET", `/projects/${project.id}/statuses`)).body.items;
  const status = (name: string) => statuses.find((each: { name: string }) => each.name === name).id as string;
  const task = (title: string, body: object = {}) => newTask(owner, project.id, { title, ...body });
  for (const days of [-30, -1, 0, 1, 6, 7]) await task(String(days), { due_date: dayIn(zone, days) });
  await task("never");
  for (const name of ["Done", "Cancelled"])
    await task(name.toLowerCase(), { due_date: dayIn(zone, -1), status_id: status(name) });
  const project_id = project.id as string;
  const lists = [`/projects/${project_id}/tasks?`, `/workspaces/${workspaceId}/tasks?project_id=${project_id}&`];
  /** Titles by creation, on which both lists, the board and a result set have to agree. */
  const found = async (due: string, person: Person = owner): Promise<string> => {
    const query = `due=${due}`;
    const answers = await Promise.all(
      lists.map((path) => person.call("GET", `${path}sort=created&order=asc&${query}`)),
    );
    const [ofProject, ofWorkspace] = answers.map(({ status, trips, body, text }) => {
      expect([status, trips, body.complete], text).toEqual([200, 1, true]);
      return body.items.map(({ title }: { title: string }) => title).join(" ");
    });
    expect(ofWorkspace, query).toBe(ofProject);
    const { columns } = (await person.call("GET", `/projects/${project_id}/board?${query}`)).body;
    const cards = columns.flatMap(({ items }: { items: { title: string }[] }) => items.map(({ title }) => title));
    expect(cards.sort(), query).toEqual(ofProject.split(" ").filter(Boolean).sort());
    const set = await keep(person, home, "task-result-sets", { query: { project_id, due } });
    expect([set.count, set.complete], query).toEqual([cards.length, true]);
    return ofProject;
  };
  return { home, owner, project, workspaceId, status, task, lists, found };
}

test("each word, several of them, and ! before them, at the days on which they begin and end", async () => {
  const { found } = await workshop();
  const cases: Record<string, string> = {
    overdue: "-30 -1",
    today: "0",
    week: "0 1 6",
    none: "never",
    "overdue,today": "-30 -1 0",
    "today,week": "0 1 6",
    "overdue,none": "-30 -1 never",
    "overdue,today,week,none": "-30 -1 0 1 6 never",
    "!overdue": "0 1 6 7 never done cancelled",
    "!today": "-30 -1 1 6 7 never done cancelled",
    "!week": "-30 -1 7 never done cancelled",
    "!none": "-30 -1 0 1 6 7 done cancelled",
    "!overdue,week": "7 never done cancelled",
    "!overdue,today,week,none": "7 done cancelled",
  };
  for (const [due, titles] of Object.entries(cases)) expect(await found(due), due).toBe(titles);
});

test("today is a day in the calendar of whoever asks", async () => {
  // At any moment at least one of them has another day than UTC.
  expect(new Set(zones.map((zone) => dayIn(zone, 0))).size).toBeGreaterThan(1);
  for (const zone of zones) {
    const { found } = await workshop(zone);
    const words = { overdue: "-30 -1", today: "0", week: "0 1 6", "!week": "-30 -1 7 never done cancelled" };
    for (const [due, titles] of Object.entries(words)) expect(await found(due), `${zone} ${due}`).toBe(titles);
  }
  const { home, found } = await workshop("Pacific/Pago_Pago");
  const member = await home.member("member");
  await live(member, "Pacific/Kiritimati");
  // Their clocks are 25 hours apart: for one hour of each day that is two days.
  const ahead = (Date.parse(dayIn("Pacific/Kiritimati", 0)) - Date.parse(dayIn("Pacific/Pago_Pago", 0))) / 86_400_000;
  expect([await found("today"), await found("today", member)]).toEqual(["0", ahead === 1 ? "1" : ""]);
  expect(await found("overdue", member)).toBe(ahead === 2 ? "-30 -1 0 1" : "-30 -1 0");
});

test("overdue is what My Work has before today", async () => {
  const { owner, workspaceId, lists } = await workshop();
  const { items } = (await owner.call("GET", `/workspaces/${workspaceId}/tasks?limit=100`)).body;
  for (const { id, revision } of items)
    await owner.call("PATCH", `/tasks/${id}`, { body: { assignee_actor_id: owner.actorId }, ifMatch: revision });
  const soon = (await owner.call("GET", `/workspaces/${workspaceId}/work?view=due_soon`)).body.items as {
    title: string;
    due_date: string;
  }[];
  expect(soon.map(({ title }) => title)).toEqual(["-30", "-1", "0", "1", "6", "7"]);
  const before = soon.filter(({ due_date }) => due_date < dayIn("UTC", 0)).map(({ title }) => title);
  for (const path of lists) {
    const late = (await owner.call("GET", `${path}due=overdue&sort=due`)).body.items;
    expect(late.map(({ title }: { title: string }) => title)).toEqual(before);
  }
});

test("by due date, in both directions and page by page, a list has the same, and a cursor is good for its words alone", async () => {
  const { owner, lists } = await workshop();
  const cases: Record<string, string[]> = {
    overdue: ["-30", "-1"],
    "overdue,week": ["-30", "-1", "0", "1", "6"],
    "week,none": ["0", "1", "6"],
    none: [],
    "!week": ["-30", "-1", "done", "cancelled", "7"],
  };
  for (const path of lists) {
    for (const [due, titles] of Object.entries(cases))
      for (const order of ["asc", "desc"]) {
        const { items } = await pages(owner, `${path}sort=due&due=${due}&order=${order}`, 2);
        const expected = order === "asc" ? titles : titles.toReversed();
        expect(
          items.map(({ title }) => title),
          `${due} ${order}`,
        ).toEqual(expected);
      }
    const { next_cursor } = (await owner.call("GET", `${path}limit=1&due=overdue`)).body;
    const answer = (query: string) => owner.call("GET", `${path}${query}&cursor=${encodeURIComponent(next_cursor)}`);
    expect((await answer("due=overdue")).body.items).toHaveLength(1);
    for (const query of ["limit=1", "due=!overdue", "due=overdue,today"])
      expect((await answer(query)).body.code, query).toBe("invalid_cursor");
  }
});

test("other filters hold beside it, and a column of a board goes on with it", async () => {
  const { owner, project, lists, status, task, workspaceId } = await workshop();
  await task("urgent", { due_date: dayIn("UTC", 0), priority: "urgent" });
  for (const path of lists)
    expect((await owner.call("GET", `${path}due=week&priority=urgent`)).body.items).toMatchObject([
      { title: "urgent" },
    ]);
  const { columns } = (await owner.call("GET", `/projects/${project.id}/board?due=week&limit=1`)).body;
  const todo = columns.find(({ status: at }: { status: { id: string } }) => at.id === status("Todo"));
  expect([todo.total, todo.items.length]).toEqual([4, 1]);
  const column = `/workspaces/${workspaceId}/tasks?sort=position&project_id=${project.id}&status_id=${status("Todo")}`;
  const rest = (due: string) =>
    owner.call("GET", `${column}&due=${due}&cursor=${encodeURIComponent(todo.next_cursor)}`);
  expect((await rest("week")).body.items).toHaveLength(3);
  expect((await rest("today")).body.code).toBe("invalid_cursor");
});

test("a saved view keeps it as it was written, and a result set holds it against what words find", async () => {
  const { owner, home, task, found } = await workshop();
  const layout = { kind: "list", group_by: "none", columns: [] };
  const view = await keep(owner, home, "task-saved-views", { name: "Late", query: { due: "!none" }, layout });
  expect(view.query).toEqual({ due: "!none" });
  expect(await found(view.query.due)).toBe("-30 -1 0 1 6 7 done cancelled");
  for (const path of ["task-saved-views", "task-result-sets"]) {
    const body = path === "task-saved-views" ? { name: "Late", layout } : {};
    const refused = await send(owner, home, path, { ...body, query: { due: "late" } });
    expect(refusalOf(refused)).toEqual([400, "invalid_request", "/body/query/due"]);
  }
  // What words find is narrowed down by another statement.
  const { id } = await task("Late gears", { due_date: dayIn("UTC", -1) });
  await task("Early gears", { due_date: dayIn("UTC", 9) });
  for (const [due, count] of [
    ["overdue", 1],
    ["!none", 2],
    ["week,none", 0],
  ] as const) {
    const set = await keep(owner, home, "task-result-sets", { query: { due, q: "gears", sort: "due" } });
    expect([set.count, set.tasks[0]?.id], due).toEqual([count, count > 0 ? id : undefined]);
  }
});

test("fifty words are taken; one more, an unknown one, an empty one or a second ! is refused with a pointer", async () => {
  const { owner, project, lists } = await workshop();
  const many = (count: number) => Array(count).fill("overdue").join(",");
  const paths = [...lists, `/projects/${project.id}/board?`];
  for (const path of paths) {
    for (const mark of ["", "!"]) expect((await owner.call("GET", `${path}due=${mark}${many(50)}`)).status).toBe(200);
    for (const due of [
      ...[many(51), "late", "", "!", "!!none", "today,!week", "today,", ",today", "Today", "today;week", "today, week"],
      ...["2026-01-01", "overdue,tomorrow"],
    ])
      expect(refusalOf(await owner.call("GET", `${path}due=${due}`)).slice(0, 3), due).toEqual([
        400,
        "invalid_request",
        "/query/due",
      ]);
  }
});

const sent = new Set<string>();
const rows = Connection.prototype.rows;
beforeAll(() => {
  Connection.prototype.rows = function kept<R>(this: Connection, sql: string, values?: unknown[]) {
    sent.add(sql);
    return rows.call(this, sql, values) as Promise<R[]>;
  };
});
afterAll(() => {
  Connection.prototype.rows = rows;
});
test("one statement answers it, whatever its words are", async () => {
  const { owner, lists } = await workshop();
  for (const path of lists) {
    sent.clear();
    for (const due of ["overdue", "!overdue", "today,week", "none", "!none,week"])
      expect((await owner.call("GET", `${path}due=${due}`)).status).toBe(200);
    expect([...sent].filter((sql) => sql.includes("from tasks t"))).toHaveLength(1);
  }
});
