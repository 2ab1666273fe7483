// What holds of chains of Tasks, whoever relates them at the same time: no circle, one parent, and no more relations
// than allowed.
import { expect, test } from "vitest";
import { newProject, newTask } from "../../../../test/work.ts";
import { type Person, service, type World, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { LONGEST_CHAIN } from "./store.ts";

const running = service();

/** So many Tasks in a Project of a new Workspace. */
async function row(count: number) {
  const home = await world(running);
  const project = await newProject(home);
  const first = await newTask(home.owner, project.id);
  const ids = [first.id as string, ...Array.from({ length: count - 1 }, newId)];
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
     select workspace_id, m.id, project_id, number + m.n, title, status_id, m.n, created_by_actor_id
     from tasks t, unnest($2::uuid[]) with ordinality m(id, n) where t.id = $1`,
    [first.id, ids.slice(1)],
    home.workspaceId,
  );
  return { home, owner: home.owner, ids };
}
/** From each of these to the next, past the service. */
const chain = ({ workspaceId, owner }: World, kind: string, ids: string[]) =>
  running.sql(
    `insert into task_relations (workspace_id, id, kind, from_task_id, to_task_id, created_by_actor_id)
     select $1, gen_random_uuid(), $2, f.id, o.id, $3
     from unnest($4::uuid[]) with ordinality f(id, n) join unnest($4::uuid[])
     with ordinality o(id, n) on o.n = f.n + 1`,
    [workspaceId, kind, owner.actorId, ids],
    workspaceId,
  );
const relate = async (person: Person, from: string, type: string, to: string): Promise<string> => {
  const { status, body } = await person.call("POST", `/tasks/${from}/relations`, {
    body: { type, related_task_id: to },
  });
  return body.code ?? String(status);
};
const first = (ids: string[]) => ids[0] as string;
const last = (ids: string[]) => ids.at(-1) as string;

test.for([
  ["blocks", "blocked_by"],
  ["parent_of", "child_of"],
] as const)("a circle of %s is refused however long the way round, from either end", async ([kind, inverse]) => {
  const { home, owner, ids } = await row(50);
  await chain(home, kind, ids);
  expect(await relate(owner, last(ids), kind, first(ids))).toBe("relation_cycle");
  expect(await relate(owner, first(ids), inverse, last(ids))).toBe("relation_cycle");
  expect(await relate(owner, ids[30] as string, kind, ids[10] as string)).toBe("relation_cycle");
  // The other way is a short cut and no circle; what does not go anywhere may go round.
  if (kind === "blocks") expect(await relate(owner, first(ids), kind, last(ids))).toBe("201");
  expect(await relate(owner, last(ids), "relates_to", first(ids))).toBe("201");
  expect(await relate(owner, last(ids), "duplicates", first(ids))).toBe("201");
});

test("blocking and containing are two things: a parent may be blocked by its child", async () => {
  const { owner, ids } = await row(2);
  expect(await relate(owner, first(ids), "parent_of", last(ids))).toBe("201");
  expect(await relate(owner, first(ids), "blocked_by", last(ids))).toBe("201");
});

test("a relation that is turned into another type makes no circle either, and may be turned round", async () => {
  const { home, owner, ids } = await row(3);
  await chain(home, "blocks", ids);
  const made = await owner.call("POST", `/tasks/${last(ids)}/relations`, {
    body: { type: "relates_to", related_task_id: first(ids) },
  });
  const turn = (id: string, type: string, task_id: string) =>
    owner.call("PATCH", `/task-relations/${id}`, { body: { type, task_id }, headers: { "if-match": "*" } });
  const answer = await turn(made.body.id, "blocks", last(ids));
  expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([
    409,
    "relation_cycle",
    "/body/type",
  ]);
  expect((await turn(made.body.id, "blocked_by", last(ids))).status).toBe(200);
  const { items } = (await owner.call("GET", `/tasks/${ids[1]}/relations`)).body;
  const inner = items.find(({ type }: { type: string }) => type === "blocked_by");
  // What blocked it is blocked by it, and nothing else leads back.
  await owner.call("DELETE", `/task-relations/${made.body.id}`);
  expect((await turn(inner.id, "blocked_by", first(ids))).status).toBe(200);
});

test.for(["blocks", "parent_of"] as const)(
  "of those who close one long circle of %s at once, one at least is refused, and no circle is left",
  async (kind) => {
    const { home, owner, ids } = await row(8);
    // Each adds one piece, and no two touch the same pair.
    const answers = await Promise.all(ids.map((id, n) => relate(owner, id, kind, ids[(n + 1) % ids.length] as string)));
    expect(answers.filter((answer) => answer === "201").length).toBe(7);
    expect(answers.filter((answer) => answer === "relation_cycle").length).toBe(1);
    const [{ left } = { left: 0 }] = await running.sql<{ left: number }>(
      "select count(*)::int as left from task_relations",
      [],
      home.workspaceId,
    );
    expect(left).toBe(7);
  },
);

test("relations that are turned at the same moment make no circle", async () => {
  const { home, owner, ids } = await row(4);
  await chain(home, "relates_to", [...ids, first(ids)]);
  const rows = await running.sql<{ id: string; from: string }>(
    "select id, from_task_id as from from task_relations",
    [],
    home.workspaceId,
  );
  const answers = await Promise.all(
    rows.map(({ id, from }) =>
      owner.call("PATCH", `/task-relations/${id}`, { body: { type: "blocks", task_id: from }, ifMatch: "1" }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409]);
});

test("a Task has one parent, also when two would become it at once", async () => {
  const { owner, ids } = await row(3);
  const [child, one, two] = ids as [string, string, string];
  const answers = await Promise.all([relate(owner, one, "parent_of", child), relate(owner, child, "child_of", two)]);
  expect(answers.sort()).toEqual(["201", "parent_exists"]);
  const free = await owner.call("GET", `/tasks/${child}/relations`);
  await owner.call("DELETE", `/task-relations/${free.body.items[0].id}`);
  expect(await relate(owner, child, "child_of", two)).toBe("201");
  // A parent has many children.
  expect(await relate(owner, two, "parent_of", one)).toBe("201");
});

test("a Task has at most 200 relations, counted from both ends, also when many are made at once", async () => {
  const { home, owner, ids } = await row(206);
  const [hub, ...spokes] = ids as [string, ...string[]];
  for (const [index, spoke] of spokes.slice(0, 198).entries())
    await chain(home, "relates_to", index % 2 ? [hub, spoke] : [spoke, hub]);
  const answers = await Promise.all(
    spokes
      .slice(198)
      .map((spoke, n) => (n % 2 ? relate(owner, hub, "blocks", spoke) : relate(owner, spoke, "blocks", hub))),
  );
  expect(answers.filter((answer) => answer === "201").length).toBe(2);
  expect(answers.filter((answer) => answer === "limit_reached").length).toBe(answers.length - 2);
  const { items } = (await owner.call("GET", `/tasks/${hub}/relations?limit=100`)).body;
  expect(items.length).toBe(100);
  // What is there already can still be turned.
  const turned = await owner.call("PATCH", `/task-relations/${items[0].id}`, {
    body: { type: "duplicates", task_id: hub },
    ifMatch: "1",
  });
  expect(turned.status).toBe(200);
});

test(`at most ${LONGEST_CHAIN} Tasks may hang on one, and one more is refused`, async () => {
  const { home, owner, ids } = await row(LONGEST_CHAIN + 2);
  const [top, ...rest] = ids as [string, ...string[]];
  // As wide as long: a hundred in a row, fifty behind each.
  const spine = rest.slice(0, 100);
  await chain(home, "blocks", spine);
  const leaves = rest.slice(100, LONGEST_CHAIN);
  await running.sql(
    `insert into task_relations (workspace_id, id, kind, from_task_id, to_task_id, created_by_actor_id)
     select $1, gen_random_uuid(), 'blocks', ($3::uuid[])[1 + l.n % 100], l.id, $2 from unnest($4::uuid[])
     with ordinality l(id, n)`,
    [home.workspaceId, owner.actorId, spine, leaves],
    home.workspaceId,
  );
  expect(await relate(owner, top, "blocks", first(spine))).toBe("201");
  await chain(home, "blocks", [last(leaves), last(rest)]);
  await running.sql("delete from task_relations where from_task_id = $1", [top], home.workspaceId);
  expect(await relate(owner, top, "blocks", first(spine))).toBe("limit_reached");
});
