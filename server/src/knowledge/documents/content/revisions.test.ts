// Revisions are never changed: they are listed, read, restored as new ones, and compared.
import { expect, test } from "vitest";
import { newDocument } from "../../../../test/documents.ts";
import { eventsOf, pages } from "../../../../test/work.ts";
import { type Person, service, world } from "../../../../test/world.ts";

const running = service();

async function written(...markdowns: string[]) {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const [first, ...others] = markdowns;
  const { id } = await newDocument(home, { markdown: first });
  for (const [at, markdown] of others.entries())
    await owner.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ifMatch: String(at + 1) });
  return { home, owner, workspaceId, id };
}
const get = (person: Person, id: string, rest: string) => person.call("GET", `/documents/${id}/revisions${rest}`);
const restore = (person: Person, id: string, revision: string, ifMatch: string) =>
  person.call("POST", `/documents/${id}/revisions/${revision}/restore`, { ifMatch });

test("revisions are listed newest first, with who wrote them, why and how long they are", async () => {
  const { home, owner, id } = await written("one", "two two");
  const member = await home.member("member");
  await member.call("PUT", `/documents/${id}/markdown`, { body: { markdown: "three" }, ifMatch: "2" });
  const { body, trips } = await get(owner, id, "");
  expect(trips).toBe(1);
  const told = body.items.map(
    (item: { revision: string; reason: string; size: number; authors: { actor_id: string }[] }) => [
      item.revision,
      item.reason,
      item.size,
      item.authors.map((author) => author.actor_id),
    ],
  );
  expect(told).toEqual([
    ["3", "write", 5, [member.actorId]],
    ["2", "write", 7, [owner.actorId]],
    ["1", "write", 3, [owner.actorId]],
  ]);
  expect(body.items[0].authors[0].display_name).toEqual(expect.any(String));
  const paged = await pages(owner, `/documents/${id}/revisions`, 1);
  expect([paged.items, paged.pages]).toEqual([body.items, 3]);
});

test("a revision is read in both forms, also by a viewer, and stays what it was", async () => {
  const { home, id } = await written("# one", "two");
  const { body, trips } = await get(await home.member("viewer"), id, "/1");
  expect(trips).toBe(1);
  expect(body).toMatchObject({
    document_id: id,
    revision: "1",
    markdown: "# one",
    content: { content: [{ type: "heading" }] },
  });
  expect((await get(await home.member("viewer"), id, "/3")).body.code).toBe("not_found");
  for (const revision of ["0", "x", "01", "1.5"])
    expect((await get(await home.member("viewer"), id, `/${revision}`)).status).toBe(400);
});

test("what it said is restored as a new revision; the same again makes none", async () => {
  const { home, owner, workspaceId, id } = await written("one", "two");
  const restored = await restore(owner, id, "1", "2");
  expect(restored.body).toMatchObject({ content_revision: "3", content: { type: "doc" } });
  expect(restored.headers.get("etag")).toBe('"3"');
  expect(restored.trips).toBeLessThanOrEqual(5);
  expect((await owner.call("GET", `/documents/${id}/markdown`)).body).toEqual({
    markdown: "one",
    content_revision: "3",
  });
  expect((await get(owner, id, "/3")).body).toMatchObject({ reason: "restore", markdown: "one" });
  expect((await restore(owner, id, "1", "3")).body.content_revision).toBe("3");
  expect((await eventsOf(running, home, id)).at(-1)?.payload).toEqual({ from: "2", to: "3", reason: "restore" });
  const rows = await running.sql(
    "select count(*)::int as count from document_revisions where document_id = $1",
    [id],
    workspaceId,
  );
  expect(rows).toEqual([{ count: 3 }]);
});

test("restoring brings the links of the content back", async () => {
  const { home, owner, workspaceId, id } = await written("a");
  const other = await newDocument(home);
  const put = (markdown: string, ifMatch: string) =>
    owner.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ifMatch });
  await put(`[x](svc:document/${other.id})`, "1");
  await put("nothing", "2");
  const links = () =>
    running.sql(
      "select target_id as id from document_links where document_id = $1 and origin = 'content'",
      [id],
      workspaceId,
    );
  expect(await links()).toEqual([]);
  await restore(owner, id, "2", "3");
  expect(await links()).toEqual([{ id: other.id }]);
});

test("restoring is refused as writing is", async () => {
  const { home, owner, id } = await written("one", "two");
  expect((await restore(owner, id, "1", "1")).body).toMatchObject({ code: "revision_conflict", current_revision: "2" });
  expect((await owner.call("POST", `/documents/${id}/revisions/1/restore`)).body.code).toBe("if_match_required");
  expect((await restore(owner, id, "7", "2")).body.code).toBe("not_found");
  expect((await restore(await home.member("viewer"), id, "1", "2")).status).toBe(403);
  expect((await restore((await world(running)).owner, id, "1", "2")).status).toBe(404);
  await owner.call("DELETE", `/documents/${id}`);
  expect((await restore(owner, id, "1", "2")).body.code).toBe("document_trashed");
});

test("any two revisions are compared, in either order", async () => {
  const { owner, id } = await written("# T\n\nold words", "# T\n\nnew words");
  const { body, trips } = await get(owner, id, "/compare?from=1&to=2");
  expect(trips).toBeLessThanOrEqual(2);
  expect(body.blocks.map((block: { kind: string; node: string }) => [block.kind, block.node])).toEqual([
    ["same", "heading"],
    ["changed", "paragraph"],
  ]);
  expect(body.markdown_diff).toBe("--- revision 1\n+++ revision 2\n@@ -1,3 +1,3 @@\n # T\n \n-old words\n+new words\n");
  const back = (await get(owner, id, "/compare?from=2&to=1")).body;
  expect(back.blocks[1].words[0]).toEqual({ kind: "removed", text: "new" });
  expect((await get(owner, id, "/compare?from=1&to=1")).body.markdown_diff).toBe("");
  expect((await get(owner, id, "/compare?from=1&to=9")).status).toBe(404);
  expect((await get(owner, id, "/compare?from=1")).status).toBe(400);
  expect((await get((await world(running)).owner, id, "/compare?from=1&to=2")).status).toBe(404);
});

test("the database itself changes no revision", async () => {
  const { workspaceId, id } = await written("one");
  const rights = await running.sql(
    `select has_table_privilege('svc_app', 'document_revisions', 'update') as changes,
      has_table_privilege('svc_app', 'document_revisions', 'delete') as deletes, $1::uuid as id`,
    [id],
    workspaceId,
  );
  expect(rights).toEqual([{ changes: false, deletes: false, id }]);
});
