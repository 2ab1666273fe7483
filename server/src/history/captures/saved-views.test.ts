// Saved views: their maker's alone, changed and deleted at exactly the revision that was read.
import { expect, test } from "vitest";
import { keep, type NativeAnswer, read, send } from "../../../test/native-work.ts";
import { pages, refusalOf } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const PATH = "task-saved-views";
const view = {
  name: "Started",
  query: { category: "started", q: "gears", sort: "due", trashed: false },
  layout: { kind: "board", group_by: "status", columns: ["code", "assignee"] },
};
const shownAlone = ({ capabilities, ...row }: NativeAnswer) => row;
const names = async (person: Person, home: World): Promise<string[]> =>
  (await read(person, home, PATH)).body.items.map(({ name }: NativeAnswer) => name);

test("a view is made, listed, changed whole and deleted, each at an exact revision", async () => {
  const home = await world(running);
  const { owner } = home;
  const made = await keep(owner, home, PATH, view);
  expect(made).toMatchObject({ ...view, revision: "1" });
  const listed = await read(owner, home, PATH);
  expect(made.capabilities).toEqual(["saved_view:update", "saved_view:delete"]);
  expect([listed.body.items, listed.trips]).toEqual([[shownAlone(made)], 1]);
  const other = { ...view, name: "Mine", query: {} };
  const changed = await send(owner, home, PATH, { ...other, view_id: made.id, revision: "1" });
  expect(changed.body).toMatchObject({ ...other, id: made.id, revision: "2", created_at: made.created_at });
  expect(changed.headers.get("etag")).toBe('"2"');
  // A change of nothing makes no revision.
  const same = await send(owner, home, PATH, { ...other, view_id: made.id, revision: "2" });
  expect(same.body).toEqual(changed.body);
  for (const revision of ["1", "3", "9999999999999999999", "02"]) {
    const stale = await send(owner, home, PATH, { ...view, view_id: made.id, revision });
    expect([...refusalOf(stale), stale.body.current_revision]).toEqual([409, "revision_conflict", "2"]);
    const kept = await send(owner, home, `${PATH}/delete`, { view_id: made.id, revision });
    expect([...refusalOf(kept), kept.body.current_revision]).toEqual([409, "revision_conflict", "2"]);
  }
  expect(await names(owner, home)).toEqual(["Mine"]);
  const gone = await send(owner, home, `${PATH}/delete`, { view_id: made.id, revision: "2" });
  expect([gone.status, gone.body.view_id]).toEqual([200, made.id]);
  expect(await names(owner, home)).toEqual([]);
  for (const [path, body] of [
    [`${PATH}/delete`, { view_id: made.id, revision: "2" }],
    [PATH, { ...view, view_id: made.id, revision: "2" }],
  ] as const)
    expect(refusalOf(await send(owner, home, path, body))).toEqual([404, "not_found", "/body/view_id"]);
});

test("of several at once at one revision one changes or deletes it", async () => {
  const home = await world(running);
  const { owner } = home;
  const { id } = await keep(owner, home, PATH, view);
  const at = { view_id: id, revision: "1" };
  const changes = await Promise.all(
    ["A", "B", "C", "D"].map((name) => send(owner, home, PATH, { ...view, ...at, name })),
  );
  expect(changes.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const ends = await Promise.all([1, 2, 3].map(() => send(owner, home, `${PATH}/delete`, { ...at, revision: "2" })));
  expect(ends.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
});

test("nobody else lists, changes or deletes it, an owner of the Workspace neither; a viewer keeps its own", async () => {
  const home = await world(running);
  const viewer = await home.member("viewer");
  const { id } = await keep(viewer, home, PATH, view);
  expect(await names(viewer, home)).toEqual(["Started"]);
  for (const person of [home.owner, await home.member("admin"), await home.member("member")]) {
    expect(await names(person, home)).toEqual([]);
    for (const named of [id, newId()]) {
      const at = { view_id: named, revision: "1" };
      expect(refusalOf(await send(person, home, PATH, { ...view, ...at }))).toEqual([
        ...[404, "not_found", "/body/view_id"],
      ]);
      expect(refusalOf(await send(person, home, `${PATH}/delete`, at))).toEqual([404, "not_found", "/body/view_id"]);
    }
  }
  expect(await names(viewer, home)).toEqual(["Started"]);
});

test("a member keeps 100 and not one more, in the order of their making, page by page", async () => {
  const home = await world(running);
  const { owner } = home;
  await running.sql(
    `insert into task_saved_views (workspace_id, id, actor_id, name, query, layout)
     select $1, (lpad(n::text, 8, '0') || '-0000-7000-8000-000000000000')::uuid, $2, 'View ' || n, '{}', $3
     from generate_series(1, 99) n`,
    [home.workspaceId, owner.actorId, JSON.stringify(view.layout)],
    home.workspaceId,
  );
  const last = await keep(owner, home, PATH, view);
  expect(refusalOf(await send(owner, home, PATH, view))).toEqual([409, "limit_reached"]);
  const { items } = await pages(owner, `/workspaces/${home.workspaceId}/${PATH}`, 40);
  expect(items.map(({ name }) => name)).toEqual([...Array.from({ length: 99 }, (_, n) => `View ${n + 1}`), "Started"]);
  await keep(owner, home, PATH, { ...view, name: "Still changed", view_id: last.id, revision: "1" });
  await keep(owner, home, `${PATH}/delete`, { view_id: last.id, revision: "2" });
  // Of many at once no more than there is room for.
  const made = await Promise.all([1, 2, 3, 4].map(() => send(owner, home, PATH, view)));
  expect(made.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
});

test("what is no view is refused with a pointer, and a repeated key makes one", async () => {
  const home = await world(running);
  const { owner } = home;
  for (const [body, pointer] of [
    [{ ...view, view_id: newId() }, "/body/revision"],
    [{ ...view, revision: "1" }, "/body/view_id"],
    [{ ...view, name: " " }, "/body/name"],
    [{ ...view, name: "x".repeat(101) }, "/body/name"],
    [{ ...view, query: { sort: "position" } }, "/body/query/sort"],
    [{ ...view, query: { q: "x", trashed: true } }, "/body/query/q"],
    [{ ...view, query: { limit: 5 } }, "/body/query/limit"],
    [{ ...view, layout: { ...view.layout, kind: "cards" } }, "/body/layout/kind"],
    [{ ...view, layout: { ...view.layout, columns: ["code", "code"] } }, "/body/layout/columns"],
    [{ name: "x", query: {} }, "/body/layout"],
  ] as const)
    expect(refusalOf(await send(owner, home, PATH, body)), pointer).toEqual([400, "invalid_request", pointer]);
  const key = newKey();
  const answers = await Promise.all([1, 2, 3].map(() => send(owner, home, PATH, view, key)));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await names(owner, home)).toEqual(["Started"]);
});
