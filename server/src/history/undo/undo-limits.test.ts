// Where undoing meets others: what a search finds, and how many of something there may be.
import { expect, test } from "vitest";
import { commandOf, redo, undo } from "../../../test/commands.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";
import { indexSearch } from "../../knowledge/search/jobs.ts";

const running = service();
async function sent(person: Person, method: string, path: string, body?: object) {
  const answer = await person.call(method, path, { body, key: newKey(), headers: { "if-match": "*" } });
  expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300);
  return answer;
}

test("what a search finds in it goes with its deletion and comes back with its undoing, indexed before and after", async () => {
  const home = await world(running);
  const { owner } = home;
  const word = `gear${newKey().slice(-10)}`;
  const project = await newProject(home);
  const task = await newTask(owner, project.id, { title: `The ${word}` });
  const found = async () =>
    (await owner.call("GET", `/workspaces/${home.workspaceId}/search?q=${word}`)).body.items.map(
      ({ id }: { id: string }) => id,
    );
  for (const index of [async () => {}, () => indexSearch(running.database)]) {
    await index();
    expect(await found()).toEqual([task.id]);
    const gone = await sent(owner, "DELETE", `/projects/${project.id}`);
    await index();
    expect(await found()).toEqual([]);
    expect((await undo(owner, commandOf(gone))).status).toBe(200);
    expect(await found()).toEqual([task.id]);
    await index();
    expect(await found()).toEqual([task.id]);
  }
});

test("a Workspace that has as many labels as it may is in the way of a deletion's undoing, and of redoing a creation", async () => {
  const elsewhere = await world(running);
  const there = `/workspaces/${elsewhere.workspaceId}`;
  const person = elsewhere.owner;
  const label = () => sent(person, "POST", `${there}/label-definitions`, { name: newKey().slice(-12) });
  const [made, other] = [await label(), await label()];
  const deleted = commandOf(await sent(person, "DELETE", `/label-definitions/${other.body.id}`));
  expect((await undo(person, commandOf(made))).status).toBe(200);
  await running.sql(
    `insert into label_definitions (workspace_id, id, name, color, purpose, created_by_actor_id)
     select $1, gen_random_uuid(), 'Label ' || n, 'gray', 'task', $2 from generate_series(1, 499) n`,
    [elsewhere.workspaceId, person.actorId],
    elsewhere.workspaceId,
  );
  expect((await undo(person, deleted)).status, "the last place").toBe(200);
  const refused = await redo(person, commandOf(made));
  expect([refused.body.code, refused.body.errors.map(({ code }: { code: string }) => code)]).toEqual([
    "undo_conflict",
    ["limit_reached"],
  ]);
});
