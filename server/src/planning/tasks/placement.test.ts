// Where a Task stands in its column: beside the neighbour that somebody names, and first where it enters without one.
import { describe, expect, test } from "vitest";
import { commandOf, redo, undo } from "../../../test/commands.ts";
import { eventsOf, newProject, newTask, trashTask, workshopOn } from "../../../test/work.ts";
import { newKey, type Options, type Person, service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
type Made = { id: string; code: string; status_id: string; revision: string; position: number };

/** A Project with these Tasks in its first column, in this order. */
async function column(...titles: string[]) {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const tasks: Record<string, Made> = {};
  for (const title of titles.toReversed()) tasks[title] = await newTask(owner, project.id, { title });
  const statuses = (await owner.call("GET", `/projects/${project.id}/statuses`)).body.items;
  const status = (name: string): string => statuses.find((each: { name: string }) => each.name === name).id;
  const id = (title: string) => (tasks[title] as Made).id;
  const order = async (name = "Todo", person = owner) => {
    const { columns } = (await person.call("GET", `/projects/${project.id}/board?limit=100`)).body;
    const found = columns.find((each: { status: { name: string } }) => each.status.name === name);
    return found.items.map(({ title }: { title: string }) => title).join("");
  };
  const put = (title: string, body: object, options: Options = {}, person: Person = owner) =>
    person.call("PATCH", `/tasks/${id(title)}`, { body, ...options });
  const any = { headers: { "if-match": "*" } };
  const read = async (title: string) => (await owner.call("GET", `/tasks/${id(title)}`)).body;
  /** Puts all of them at exactly these places. */
  const at = (...positions: number[]) =>
    Promise.all(titles.map((title, index) => put(title, { position: positions[index] }, any)));
  return { home, owner, project, workspaceId, tasks, status, id, order, put, any, read, at };
}

describe("a neighbour", () => {
  test("says where a Task stands: behind it, before it, first or last", async () => {
    const { order, put, id } = await column("a", "b", "c", "d");
    expect(await order()).toBe("abcd");
    for (const [title, body, expected] of [
      ["d", { after_task_id: id("a") }, "adbc"],
      ["a", { after_task_id: id("c") }, "dbca"],
      ["c", { before_task_id: id("d") }, "cdba"],
      ["c", { before_task_id: id("a") }, "dbca"],
      ["a", { after_task_id: null }, "adbc"],
      ["d", { before_task_id: null }, "abcd"],
    ] as const) {
      const answer = await put(title, body);
      expect([answer.status, await order()], answer.text).toEqual([200, expected]);
    }
  });

  test("alone needs no If-Match; with anything else it does, and one that is sent is compared", async () => {
    const { put, id, status, order, read } = await column("a", "b", "c");
    const without = await put("c", { after_task_id: id("a"), status_id: status("Todo") });
    expect([without.status, without.body.code]).toEqual([400, "if_match_required"]);
    expect((await put("c", { before_task_id: null, title: "c" })).body.code).toBe("if_match_required");
    const stale = await put("c", { after_task_id: id("a") }, { ifMatch: "7" });
    expect([stale.status, stale.body.code]).toEqual([409, "revision_conflict"]);
    expect(await order()).toBe("abc");
    const placed = await put("c", { after_task_id: id("a") });
    expect([placed.status, placed.headers.get("etag"), placed.body.position]).toEqual([
      200,
      '"2"',
      (await read("c")).position,
    ]);
    expect((await put("c", { after_task_id: null }, { ifMatch: "2" })).status).toBe(200);
    expect(await order()).toBe("cab");
  });

  test("where it stands already changes nothing and records nothing", async () => {
    const { home, put, id, read, order } = await column("a", "b");
    const before = await eventsOf(running, home, id("b"));
    for (const body of [{ after_task_id: id("a") }, { before_task_id: null }])
      expect((await put("b", body)).body.revision).toBe("1");
    for (const body of [{ before_task_id: id("b") }, { after_task_id: null }])
      expect((await put("a", body)).body.revision).toBe("1");
    expect([await eventsOf(running, home, id("b")), await order()]).toEqual([before, "ab"]);
    expect((await read("a")).revision).toBe("1");
  });

  test("goes with a Status into another column, beside a Task that is there", async () => {
    const { put, id, status, order, any } = await column("a", "b", "c");
    const entering = { status_id: status("Backlog") };
    await put("a", entering, any);
    const beside = await put("b", { ...entering, after_task_id: id("a") }, { ifMatch: "1" });
    expect([beside.status, await order("Backlog")]).toEqual([200, "ab"]);
    const last = await put("c", { ...entering, before_task_id: null }, { ifMatch: "1" });
    expect([last.status, await order("Backlog"), await order()]).toEqual([200, "abc", ""]);
    const only = await put("c", { status_id: status("Todo"), before_task_id: null }, { ifMatch: "2" });
    expect([only.status, await order()]).toEqual([200, "c"]);
  });

  test("must be another Task of the same column, that is not in the trash", async () => {
    const { home, owner, put, id, status, any, workspaceId, order } = await column("a", "b", "c", "d");
    await put("c", { status_id: status("Done") }, any);
    await trashTask(running, home, id("d"));
    const elsewhere = await newTask(owner, (await newProject(home)).id);
    const foreign = await world(running);
    const theirs = await newTask(foreign.owner, (await newProject(foreign)).id);
    for (const neighbour of [id("a"), id("c"), id("d"), elsewhere.id, theirs.id, newId()])
      for (const field of ["after_task_id", "before_task_id"]) {
        const { status: code, body } = await put("a", { [field]: neighbour });
        expect([code, body.code, body.errors?.[0].pointer]).toEqual([422, "invalid_reference", `/body/${field}`]);
      }
    // It is in the column that the Task leaves, and not in the one that it enters.
    const left = await put("a", { status_id: status("Done"), after_task_id: id("b") }, { ifMatch: "1" });
    expect(left.body.errors[0].pointer).toBe("/body/after_task_id");
    expect(await order()).toBe("ab");
    const [{ changed } = { changed: null }] = await running.sql<{ changed: string }>(
      "select count(*) as changed from tasks where revision > 2",
      [],
      workspaceId,
    );
    expect(Number(changed)).toBe(0);
  });

  test("is one, and takes the place of position", async () => {
    const { put, id, any } = await column("a", "b");
    for (const body of [
      { after_task_id: id("b"), before_task_id: null },
      { after_task_id: id("b"), position: 3 },
      { before_task_id: id("b"), position: 3 },
    ]) {
      const refused = await put("a", body, any);
      expect([refused.status, refused.body.code], refused.text).toEqual([400, "invalid_request"]);
    }
    expect((await put("a", { after_task_id: "b" })).body.errors[0].pointer).toBe("/body/after_task_id");
  });

  test("is refused to those who may not change the Task, and on a Task in the trash or in an archived Project", async () => {
    const { home, owner, project, put, id } = await column("a", "b");
    const viewer = await home.member("viewer");
    expect((await put("b", { after_task_id: null }, {}, viewer)).status).toBe(403);
    const foreign = await world(running);
    expect((await put("b", { after_task_id: null }, {}, foreign.owner)).status).toBe(404);
    await trashTask(running, home, id("a"));
    expect((await put("a", { after_task_id: id("b") })).body.code).toBe("task_trashed");
    await owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, headers: { "if-match": "*" } });
    expect((await put("b", { after_task_id: null })).body.code).toBe("project_archived");
  });

  test("is answered the same when the request is repeated with its key", async () => {
    const { put, id, order } = await column("a", "b", "c");
    const key = newKey();
    const first = await put("c", { after_task_id: null }, { key });
    await put("c", { before_task_id: null });
    const again = await put("c", { after_task_id: null }, { key });
    expect([again.text, again.headers.get("idempotent-replayed"), await order()]).toEqual([first.text, "true", "abc"]);
    expect((await put("c", { after_task_id: id("a") }, { key })).body.code).toBe("idempotency_key_conflict");
  });

  test("takes few round-trips, also where room has to be made", async () => {
    const { put, id, at } = await column("a", "b", "c");
    expect((await put("c", { after_task_id: id("a") })).trips).toBeLessThanOrEqual(3);
    await at(1, 1, 1);
    expect((await put("c", { after_task_id: id("a") })).trips).toBeLessThanOrEqual(4);
  });
});

describe("where no number is left between two neighbours", () => {
  test("those behind are spread out, and keep their order, their revision and their time", async () => {
    const { put, id, at, order, read } = await column("a", "b", "c", "d", "e");
    await at(1, 1 + Number.EPSILON, 1 + 2 * Number.EPSILON, 5, 6);
    const before = { b: await read("b"), c: await read("c"), d: await read("d") };
    expect((await put("e", { after_task_id: id("a") })).status).toBe(200);
    expect(await order()).toBe("aebcd");
    for (const [title, { position: _, ...was }] of Object.entries(before)) {
      const { position: __, ...is } = await read(title);
      expect(is).toEqual(was);
    }
    expect((await read("d")).position, "as few as have to be are touched").toBe(5);
  });

  test("Tasks at one place are told apart", async () => {
    const { put, id, at, order } = await column("a", "b", "c", "d");
    await at(7, 7, 7, 7);
    const same = (await order()).split("");
    const [first, second, third, last] = same as [string, string, string, string];
    expect((await put(last, { after_task_id: id(first) })).status).toBe(200);
    expect(await order()).toBe(`${first}${last}${second}${third}`);
  });

  test("somebody may drop into the same gap again and again", async () => {
    const { put, id, order } = await column("a", "b", "c", "d");
    await put("d", { after_task_id: id("a") });
    for (let turn = 0; turn < 60; turn++) {
      const [moved, other] = turn % 2 === 0 ? ["c", "d"] : ["d", "c"];
      const { status, trips } = await put(moved, { after_task_id: id("a") });
      expect([status, trips <= 4, await order()]).toEqual([200, true, `a${moved}${other}b`]);
    }
  });

  test("at most 500 others are moved: where more stand at one place the request says what to do", async () => {
    const { owner, project, workspaceId, put, id, at, status, any, order } = await column("a", "b");
    await at(5, 9);
    await running.sql(
      `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
       select $1, overlay(gen_random_uuid()::text placing '00000000' from 1)::uuid, $2, 100 + n, 'x', $3, 5, $4
       from generate_series(1, 501) n`,
      [workspaceId, project.id, status("Todo"), owner.actorId],
      workspaceId,
    );
    // At one place the id decides, and theirs are before that of "a".
    const first = (await owner.call("GET", `/projects/${project.id}/board?limit=1`)).body.columns[1].items[0];
    const refused = await put("b", { after_task_id: first.id });
    expect([refused.status, refused.body.errors?.[0].pointer], refused.text).toEqual([422, "/body/after_task_id"]);
    expect(refused.body.errors[0].detail).toContain("position");
    await running.sql(
      "delete from tasks where id = (select id from tasks where title = 'x' and id <> $1 limit 1)",
      [first.id],
      workspaceId,
    );
    expect((await put("b", { after_task_id: first.id })).status).toBe(200);
    expect((await put("a", { position: 4 }, any)).status).toBe(200);
    expect((await order()).slice(0, 1)).toBe("a");
    expect(id("a")).not.toBe(first.id);
  });
});

describe("several people", () => {
  test("who drop into one gap at once all succeed, and everybody's Task is in it", async () => {
    const titles = "abcdefghijkl".split("");
    const { put, id, order, at } = await column(...titles);
    await at(1, 1 + Number.EPSILON, ...titles.slice(2).map((_, index) => 10 + index));
    const answers = await Promise.all(titles.slice(2).map((title) => put(title, { after_task_id: id("a") })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const placed = await order();
    expect([placed[0], placed.at(-1), placed.length]).toEqual(["a", "b", 12]);
    const positions = answers.map(({ body }) => body.position);
    expect(new Set(positions).size, "no two at one place").toBe(positions.length);
  });

  test("may place beside a Task that somebody takes away meanwhile", async () => {
    const { put, id, status, any } = await column("a", "b", "c");
    const [away, beside] = await Promise.all([
      put("a", { status_id: status("Done") }, any),
      put("c", { after_task_id: id("a") }),
    ]);
    expect(away.status).toBe(200);
    expect([200, 422]).toContain(beside.status);
  });

  test("who changes a Task meanwhile does not lose against its being spread out", async () => {
    const { put, id, at, read } = await column("a", "b", "c");
    await at(1, 1, 1);
    const [placed, changed] = await Promise.all([
      put("c", { after_task_id: id("a") }),
      put("b", { title: "Changed" }, { ifMatch: "2" }),
    ]);
    expect([placed.status, changed.status]).toEqual([200, 200]);
    expect(await read("b")).toMatchObject({ title: "Changed", revision: "3" });
  });
});

describe("a Task that enters a column", () => {
  test("comes first: when it is made, changed, started, done, taken up again and duplicated", async () => {
    const { home, owner, project, order, put, status, any, id, tasks } = await column("a", "b");
    expect((await newTask(owner, project.id, { title: "c" })).position).toBeLessThan(0);
    expect(await order()).toBe("cab");
    await put("a", { status_id: status("Backlog") }, any);
    await put("b", { status_id: status("Backlog") }, any);
    expect(await order("Backlog")).toBe("ba");
    await put("a", { status_id: status("Todo") }, any);
    expect(await order()).toBe("ac");
    const token = await home.token();
    const step = (title: string, name: string) =>
      name === "duplicate"
        ? owner.call("POST", `/tasks/${id(title)}/duplicate`, { key: newKey() })
        : owner.bearer(token, "POST", `/cli/tasks/${(tasks[title] as Made).code}/${name}`, { key: newKey(), ...any });
    for (const title of ["a", "b"]) expect((await step(title, "start")).status).toBe(200);
    expect(await order("In Progress")).toBe("ba");
    for (const title of ["b", "a"]) expect((await step(title, "done")).status).toBe(200);
    expect(await order("Done")).toBe("ab");
    for (const title of ["a", "b"]) expect((await step(title, "reopen")).status).toBe(200);
    expect(await order("In Progress")).toBe("ba");
    const copy = await step("b", "duplicate");
    expect([copy.status, await order()]).toEqual([201, "bc"]);
  });

  test("comes first even where somebody has put others far ahead", async () => {
    const { owner, project, order, put, status, any } = await column("a", "b", "c");
    await put("c", { position: -1e15 }, any);
    await put("b", { status_id: status("Backlog") }, any);
    await put("b", { status_id: status("Todo") }, any);
    expect(await order()).toBe("bca");
    await newTask(owner, project.id, { title: "d" });
    expect(await order()).toBe("dbca");
    expect((await put("a", { after_task_id: null })).status).toBe(200);
    expect(await order()).toBe("adbc");
  });

  test("is ahead of its own column, however far ahead those of others stand", async () => {
    const { owner, project, put, status, any } = await column("a");
    await put("a", { status_id: status("Backlog"), position: -1e15 }, any);
    expect((await newTask(owner, project.id, { title: "b" })).position).toBeGreaterThan(-1e14);
  });

  test("stands by the clock, so that those who come at the same time are told apart", async () => {
    const { owner, project } = await workshopOn(running);
    const made = await Promise.all(Array.from({ length: 8 }, () => newTask(owner, project.id)));
    const positions = made.map(({ position }) => position);
    expect(new Set(positions).size).toBe(8);
  });

  test("stands at the position that is sent with the Status, be it the one that it had", async () => {
    const { put, status, any, tasks } = await column("a");
    const { position } = tasks.a as Made;
    const kept = await put("a", { status_id: status("Backlog"), position }, any);
    expect(kept.body.position).toBe(position);
    expect((await put("a", { status_id: status("Todo"), position: 12 }, any)).body.position).toBe(12);
  });

  test("stays where it is when its Status is sent back unchanged, and comes back from the trash to its place", async () => {
    const { owner, order, put, status, any, id } = await column("a", "b", "c");
    await put("b", { status_id: status("Todo"), title: "B" }, any);
    expect(await order()).toBe("aBc");
    for (const step of ["trash", "restore"]) await owner.call("POST", `/tasks/${id("b")}/${step}`, any);
    expect(await order()).toBe("aBc");
  });

  test("comes first with others of a bulk change, in the order in which they are named", async () => {
    const { owner, workspaceId, order, put, status, any, id } = await column("a", "b", "c", "d", "e");
    await put("a", { status_id: status("Backlog") }, any);
    const task_ids = ["d", "a", "b"].map(id);
    const { body } = await owner.call("POST", `/workspaces/${workspaceId}/tasks/bulk`, {
      body: { task_ids, changes: { status_id: status("Backlog") } },
    });
    expect(body.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["updated", "unchanged", "updated"]);
    expect([await order("Backlog"), await order()]).toEqual(["dba", "ce"]);
  });

  test("comes first in the Project that it is moved to with others, in the order in which they are named", async () => {
    const { home, owner, workspaceId, order, project, status } = await column("a");
    const other = await newProject(home);
    const made = [];
    for (const title of ["m", "n", "o"]) made.push(await newTask(owner, other.id, { title }));
    const move = (task_ids: string[], changes: object) =>
      owner.call("POST", `/workspaces/${workspaceId}/tasks/bulk`, {
        body: { task_ids, changes: { project_id: project.id, ...changes } },
      });
    const [m, n, o] = made.map(({ id }) => id) as [string, string, string];
    expect((await move([n, m], {})).status).toBe(200);
    expect((await move([o], { status_id: status("Todo") })).status).toBe(200);
    expect(await order()).toBe("onma");
    const events = await eventsOf(running, home, m);
    expect(events.map(({ type }) => type)).toEqual(["task.created", "task.moved"]);
  });

  test("comes first in the Project that it is moved to", async () => {
    const { home, owner, any, id, order, project } = await column("a");
    const other = await newProject(home);
    const moved = await newTask(owner, other.id, { title: "m" });
    const answer = await owner.call("POST", `/tasks/${moved.id}/move`, { body: { project_id: project.id }, ...any });
    expect([answer.status, await order()]).toEqual([200, "ma"]);
    expect(id("a")).not.toBe(moved.id);
  });
});

describe("undoing", () => {
  test("a reordering puts the Task back, and it is told as a change of position in no feed", async () => {
    const { home, owner, put, id, order } = await column("a", "b", "c");
    const answer = await put("c", { after_task_id: null });
    expect((await eventsOf(running, home, id("c"))).at(-1)).toMatchObject({
      type: "task.updated",
      activity: null,
      payload: { from: { position: expect.any(Number) }, to: { position: answer.body.position } },
    });
    expect(await order()).toBe("cab");
    expect((await undo(owner, commandOf(answer))).status).toBe(200);
    expect(await order()).toBe("abc");
    expect((await redo(owner, commandOf(answer))).status).toBe(200);
    expect(await order()).toBe("cab");
  });

  test("a change of the Status puts the Task back where it was, and redoing where it was put", async () => {
    const { home, owner, put, id, order, status, any } = await column("a", "b", "c", "d");
    await put("d", { status_id: status("Backlog") }, any);
    const answer = await put("b", { status_id: status("Backlog"), before_task_id: null }, any);
    const events = await eventsOf(running, home, id("b"));
    expect(events.map(({ type }) => type)).toEqual(["task.created", "task.status_changed"]);
    expect(await order("Backlog")).toBe("db");
    // Where it stands among the others there is nothing that undoing would overwrite.
    await put("b", { after_task_id: null });
    expect((await undo(owner, commandOf(answer))).status).toBe(200);
    expect([await order(), await order("Backlog")]).toEqual(["abc", "d"]);
    expect((await redo(owner, commandOf(answer))).status).toBe(200);
    expect(await order()).toBe("ac");
  });
});
