// How somebody looks at Projects: typed, whole, and their own.
import { expect, test } from "vitest";
import { type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/project-display-preferences`;
const read = (home: World, person: Person = home.owner) => person.call("GET", pathOf(home));
const replace = (home: World, body: object, ifMatch = "0", person: Person = home.owner) =>
  person.call("PUT", pathOf(home), { body, ifMatch });
const board = {
  layout: "board",
  group_by: "lead",
  order_by: "target_date",
  show_archived: true,
  show_completed: false,
  columns: ["lead", "key"],
};

test("the defaults stand at revision 0 until somebody decides, and then what they decided", async () => {
  const home = await world(running);
  const first = await read(home);
  expect(first.body).toMatchObject({ layout: "list", order_by: "manual", revision: "0", updated_at: null });
  expect(first.trips).toBe(1);
  const kept = await replace(home, board);
  expect(kept.body).toMatchObject({ ...board, revision: "1" });
  expect((await read(home)).body).toEqual(kept.body);
  expect((await replace(home, board)).body).toMatchObject({ code: "revision_conflict", current_revision: "1" });
});

test("they are the member's own, also a viewer's, and differ by Workspace", async () => {
  const home = await world(running);
  const viewer = await home.member("viewer");
  expect((await replace(home, board, "0", viewer)).status).toBe(200);
  expect((await read(home)).body.revision).toBe("0");
  expect((await read(home, (await world(running)).owner)).status).toBe(404);
});

test("every part is sent, known and of its kind", async () => {
  const home = await world(running);
  const { layout: _, ...partial } = board;
  const wrong: [object, string][] = [
    [partial, "/body/layout"],
    [{ ...board, layout: "grid" }, "/body/layout"],
    [{ ...board, columns: ["key", "key"] }, "/body/columns"],
    [{ ...board, columns: ["budget"] }, "/body/columns/0"],
    [{ ...board, show_archived: "yes" }, "/body/show_archived"],
    [{ ...board, theme: "dark" }, "/body/theme"],
  ];
  for (const [body, pointer] of wrong) expect((await replace(home, body)).body.errors[0].pointer).toBe(pointer);
  expect((await replace(home, { ...board, columns: [] })).status).toBe(200);
});
