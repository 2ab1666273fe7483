// Relations that a Task is given with its own fields, when it is made and when it is changed: they follow the rules of
// relations, and are in each other's way.
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../../test/answer.ts";
import { overlapping } from "../../../../test/overlap.ts";
import { newTask, refusalOf, relationsOf, workshopOn } from "../../../../test/work.ts";
import { newKey, type Person, service, type World } from "../../../../test/world.ts";

const running = service();
const workshop = () => workshopOn(running);
const create = (person: Person, project: { id: string }, body: object): Promise<Answer> =>
  person.call("POST", `/projects/${project.id}/tasks`, { body: { title: "Cut the gears", ...body }, key: newKey() });

describe("relations of one creation are in each other's way as those of several are", () => {
  const relate = (person: Person, from: { id: string }, type: string, to: { id: string }) =>
    person.call("POST", `/tasks/${from.id}/relations`, { body: { type, related_task_id: to.id } });
  async function three(home: World, project: { id: string }) {
    const make = () => newTask(home.owner, project.id);
    return [await make(), await make(), await make()] as [{ id: string }, { id: string }, { id: string }];
  }

  test("a circle through the new Task is refused, of blocks and of parents", async () => {
    const { owner, home, project } = await workshop();
    const [one, two, three_] = await three(home, project);
    await relate(owner, one, "blocks", two);
    await relate(owner, two, "blocks", three_);
    const circle = [
      { type: "blocks", related_task_id: one.id },
      { type: "blocked_by", related_task_id: three_.id },
    ];
    expect(refusalOf(await create(owner, project, { relations: circle }))).toEqual([
      409,
      "relation_cycle",
      "/body/relations/1/related_task_id",
    ]);
    await relate(owner, one, "parent_of", two);
    const relations = [{ type: "parent_of", related_task_id: one.id }];
    expect(refusalOf(await create(owner, project, { parent_id: two.id, relations }))).toEqual([
      409,
      "relation_cycle",
      "/body/relations/0/related_task_id",
    ]);
    expect(await relationsOf(owner, three_)).toEqual([`blocked_by ${two.id}`]);
  });

  test("a second parent, the same relation twice and a child that has a parent are refused", async () => {
    const { owner, home, project } = await workshop();
    const [one, two, child] = await three(home, project);
    await relate(owner, one, "parent_of", child);
    const cases: [object, string, number][] = [
      [{ parent_id: one.id, relations: [{ type: "child_of", related_task_id: two.id }] }, "parent_exists", 0],
      [{ parent_id: one.id, relations: [{ type: "child_of", related_task_id: one.id }] }, "relation_exists", 0],
      [{ relations: [{ type: "parent_of", related_task_id: child.id }] }, "parent_exists", 0],
      [
        {
          relations: ["relates_to", "relates_to"].map((type) => ({ type, related_task_id: two.id })),
        },
        "relation_exists",
        1,
      ],
    ];
    for (const [body, code, at] of cases)
      expect(refusalOf(await create(owner, project, body)), code).toEqual([
        409,
        code,
        `/body/relations/${at}/related_task_id`,
      ]);
    const made = await create(owner, project, { relations: [{ type: "child_of", related_task_id: one.id }] });
    expect(made.body.parent_id).toBe(one.id);
  });

  test("a Task is made with 200 relations and not with 201", async () => {
    const { owner, home, project, workspaceId } = await workshop();
    const parent = await newTask(owner, project.id);
    await running.sql(
      `insert into tasks (workspace_id, id, project_id, number, title, description_markdown, priority,
       created_by_actor_id, status_id, position)
       select workspace_id, gen_random_uuid(), project_id, 1000 + n, 'Other', '', 'none', created_by_actor_id,
         status_id, n
       from tasks, generate_series(1, 200) n where id = $1`,
      [parent.id],
      workspaceId,
    );
    const others = await running.sql<{ id: string }>(
      "select id from tasks where title = 'Other'",
      [],
      home.workspaceId,
    );
    const relations = others.map(({ id }) => ({ type: "relates_to", related_task_id: id }));
    expect(refusalOf(await create(owner, project, { parent_id: parent.id, relations }))).toEqual([
      409,
      "limit_reached",
      "/body/relations/199/related_task_id",
    ]);
    const more = [...relations, { type: "relates_to", related_task_id: parent.id }];
    expect(refusalOf(await create(owner, project, { relations: more })).slice(0, 2)).toEqual([400, "invalid_request"]);
    const made = await create(owner, project, { relations });
    expect([made.status, made.trips], made.text).toEqual([201, 4]);
  });

  test("of two that make a parent of one Task at once one succeeds", async () => {
    const { owner, project, workspaceId } = await workshop();
    const child = await newTask(owner, project.id);
    const relations = [{ type: "parent_of", related_task_id: child.id }];
    const hold: [string, string] = ["select from workspaces where id = $1 for update", workspaceId];
    const answers = await overlapping(running, hold, 2, () =>
      Promise.all([create(owner, project, { relations }), create(owner, project, { relations })]),
    );
    expect(answers.map(({ status, body }) => (status === 201 ? status : body.code)).sort()).toEqual([
      201,
      "parent_exists",
    ]);
  });
});
