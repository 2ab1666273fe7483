// The activity of one person: theirs and nobody else's, under the reader's own access.
import { expect, test } from "vitest";
import { newProject, newTask } from "../../../test/work.ts";
import { type Person, service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const feedOf = (reader: Person, workspaceId: string, { userId }: { userId: string }, query = "") =>
  reader.call("GET", `/workspaces/${workspaceId}/people/${userId}/activity${query}`);
const titles = (items: { affected: { title: string }[] }[]) =>
  items.flatMap(({ affected }) => affected.map((each) => each.title));

test("the feed has what this person did, newest first, and nothing of anybody else", async () => {
  const home = await world(running);
  const other = await home.member("member");
  const project = await newProject(home);
  await newTask(home.owner, project.id, { title: "Of the owner" });
  await newTask(other, project.id, { title: "First" });
  await newTask(other, project.id, { title: "Second" });
  const answer = await feedOf(home.owner, home.workspaceId, other);
  expect([answer.status, answer.trips]).toEqual([200, 1]);
  expect(titles(answer.body.items)).toEqual(["Second", "First"]);
  expect(
    answer.body.items.every((item: { provenance: { actor_id: string } }) => item.provenance.actor_id === other.actorId),
  ).toBe(true);
  expect(titles((await feedOf(other, home.workspaceId, home.owner)).body.items)).toContain("Of the owner");
});

test("what the reader may not see is not in it, even where the person did it", async () => {
  const home = await world(running);
  const reader = await home.member("member");
  const hidden = await newProject(home, { visibility: "private" });
  await newTask(home.owner, hidden.id, { title: "Hidden" });
  const { body } = await feedOf(reader, home.workspaceId, home.owner);
  expect(titles(body.items)).toEqual([]);
  expect(titles((await feedOf(home.owner, home.workspaceId, home.owner)).body.items)).toContain("Hidden");
});

test("pages lead on through the person's events alone, and a cursor is for one person", async () => {
  const home = await world(running);
  const [one, two] = [await home.member("member"), await home.member("member")];
  const project = await newProject(home);
  for (const title of ["a", "b", "c"]) {
    await newTask(one, project.id, { title });
    await newTask(two, project.id, { title: `not ${title}` });
  }
  const seen: string[] = [];
  let query = "?limit=1";
  for (let page = 0; page < 3; page++) {
    const { body } = await feedOf(home.owner, home.workspaceId, one, query);
    seen.push(...titles(body.items));
    expect(body.has_more).toBe(page < 2);
    query = `?limit=1&cursor=${body.next_cursor}`;
    if (page === 0) expect((await feedOf(home.owner, home.workspaceId, two, query)).body.code).toBe("invalid_cursor");
  }
  expect(seen).toEqual(["c", "b", "a"]);
});

test("a civil day selects, and a day without a zone is refused", async () => {
  const home = await world(running);
  await newTask(home.owner, (await newProject(home)).id, { title: "Today" });
  const today = new Date().toISOString().slice(0, 10);
  const on = (day: string) => feedOf(home.owner, home.workspaceId, home.owner, `?day=${day}&time_zone=UTC`);
  expect(titles((await on(today)).body.items)).toContain("Today");
  expect((await on("2020-01-01")).body.items).toEqual([]);
  for (const query of [`?day=${today}`, "?time_zone=UTC", `?day=${today}&time_zone=Nowhere/City`])
    expect((await feedOf(home.owner, home.workspaceId, home.owner, query)).body.code).toBe("invalid_request");
});

test("a removed member's activity stays; a stranger, an invited person and nobody are 404", async () => {
  const home = await world(running);
  const former = await home.member("member");
  await newTask(former, (await newProject(home)).id, { title: "Mine" });
  const become = (state: string) =>
    running.sql("update memberships set state = $2 where user_id = $1", [former.userId, state]);
  await become("removed");
  expect(titles((await feedOf(home.owner, home.workspaceId, former)).body.items)).toEqual(["Mine"]);
  expect((await feedOf(former, home.workspaceId, former)).status).toBe(404);
  await become("invited");
  const stranger = (await world(running)).owner;
  for (const person of [former, stranger, { userId: newId() }])
    expect((await feedOf(home.owner, home.workspaceId, person)).status).toBe(404);
});
