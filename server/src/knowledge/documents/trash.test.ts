// The trash of Documents: what goes along, what comes back, where to, and what is gone for ever.
import { describe, expect, test } from "vitest";
import { newAttached } from "../../../test/attachments.ts";
import {
  any,
  byPath,
  changeDocument,
  childrenOf,
  type MadeDocument,
  newDocument,
  readDocument,
} from "../../../test/documents.ts";
import { eventsOf, newProject, refusalOf } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
const trash = (person: Person, id: string) => person.call("DELETE", `/documents/${id}`);
const restore = (person: Person, id: string) => person.call("POST", `/documents/${id}/restore`, any);
const remove = (person: Person, id: string) => person.call("DELETE", `/documents/${id}/permanent`);
const isTrashed = async ({ owner }: World, { id }: MadeDocument) => (await readDocument(owner, id)).trashed_at !== null;
const inTrash = async ({ owner, workspaceId }: World, query = "") =>
  (await owner.call("GET", `/workspaces/${workspaceId}/documents?trashed=true${query}`)).body.items.map(
    ({ id }: MadeDocument) => id,
  );

/** A Document, one below it, and one below that. */
async function family(home: World, body: object = {}) {
  const top = await newDocument(home, { title: "Top", ...body });
  const child = await newDocument(home, { title: "Child", parent_id: top.id });
  const leaf = await newDocument(home, { title: "Leaf", parent_id: child.id });
  return { top, child, leaf };
}

describe("the trash", () => {
  test("takes all that is below along, keeps it readable, and gives all of it back", async () => {
    const home = await world(running);
    const { owner, workspaceId } = home;
    const { top, child, leaf } = await family(home);
    expect((await trash(owner, top.id)).status).toBe(204);
    for (const document of [top, child, leaf]) expect(await isTrashed(home, document)).toBe(true);
    expect((await owner.call("GET", `/workspaces/${workspaceId}/documents`)).body.items).toEqual([]);
    expect(await inTrash(home)).toEqual([top.id]);
    expect(await inTrash(home, `&parent_id=${top.id}`)).toEqual([child.id]);
    expect((await readDocument(owner, child.id)).capabilities).toEqual([
      "documents:read",
      "document:restore",
      "document:delete",
    ]);
    for (const { id } of [top, child])
      expect((await changeDocument(owner, id, { title: "Other" })).body.code).toBe("document_trashed");
    expect((await restore(owner, top.id)).body).toMatchObject({ trashed_at: null, path: "top" });
    for (const document of [top, child, leaf]) expect(await isTrashed(home, document)).toBe(false);
    expect((await readDocument(owner, leaf.id)).path).toBe("top/child/leaf");
    expect((await eventsOf(running, home, top.id)).map(({ type }) => type)).toEqual([
      "document.created",
      "document.trashed",
      "document.restored",
    ]);
  });

  test("a Document that was thrown away before stays there when its parent comes back", async () => {
    const home = await world(running);
    const { top, child, leaf } = await family(home);
    await trash(home.owner, leaf.id);
    await trash(home.owner, top.id);
    await restore(home.owner, top.id);
    expect([await isTrashed(home, top), await isTrashed(home, child), await isTrashed(home, leaf)]).toEqual([
      false,
      false,
      true,
    ]);
    expect((await restore(home.owner, leaf.id)).body).toMatchObject({ parent_id: child.id, path: "top/child/leaf" });
  });

  test("one that comes back without its parent comes to the top, with all that went along below it", async () => {
    const home = await world(running);
    const { owner } = home;
    const project = await newProject(home);
    const { top, child, leaf } = await family(home, { project_id: project.id });
    await trash(owner, top.id);
    expect((await restore(owner, child.id)).body).toMatchObject({
      parent_id: null,
      project_id: project.id,
      path: "child",
    });
    expect(await readDocument(owner, leaf.id)).toMatchObject({
      trashed_at: null,
      path: "child/leaf",
      parent_id: child.id,
    });
    expect(await isTrashed(home, top)).toBe(true);
    expect((await restore(owner, top.id)).status).toBe(200);
    expect(await childrenOf(owner, top.id)).toEqual([]);
  });

  test("twice is once, and one that is not there is answered as it is", async () => {
    const home = await world(running);
    const { id } = await newDocument(home);
    expect((await restore(home.owner, id)).body.revision).toBe("1");
    for (const _ of [1, 2]) expect((await trash(home.owner, id)).status).toBe(204);
    expect((await readDocument(home.owner, id)).revision).toBe("2");
    expect((await home.owner.call("DELETE", `/documents/${id}`, { ifMatch: "1" })).body.code).toBe("revision_conflict");
  });

  test("leaves the path to others, leads to it while nobody has it, and gives another one back where it is taken", async () => {
    const home = await world(running);
    const { owner } = home;
    const first = await newDocument(home, { title: "Notes" });
    await trash(owner, first.id);
    expect((await byPath(owner, home, "notes")).body.id).toBe(first.id);
    const second = await newDocument(home, { title: "Notes" });
    expect(second.path).toBe("notes");
    expect((await byPath(owner, home, "notes")).body.id).toBe(second.id);
    expect((await restore(owner, first.id)).body.path).toMatch(/^notes-[0-9a-z]{8}$/);
  });

  test("takes back the public names of all that goes along", async () => {
    const home = await world(running);
    const { top, child } = await family(home);
    for (const { id } of [top, child]) await changeDocument(home.owner, id, { published: true });
    await trash(home.owner, top.id);
    expect(
      await running.sql("select from publications where workspace_id = $1", [home.workspaceId], home.workspaceId),
    ).toEqual([]);
    await restore(home.owner, top.id);
    expect(await readDocument(home.owner, child.id)).toMatchObject({ public_id: null, published_at: null });
  });

  test("a parent in the trash takes no new Documents", async () => {
    const home = await world(running);
    const { id } = await newDocument(home);
    await trash(home.owner, id);
    const made = await home.owner.call("POST", `/workspaces/${home.workspaceId}/documents`, {
      body: { title: "N", parent_id: id },
      key: newKey(),
    });
    expect(refusalOf(made)).toEqual([409, "document_trashed", "/body/parent_id"]);
  });
});

describe("for ever", () => {
  test("only from the trash, and only by who manages Documents there", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const { id } = await newDocument(home, {}, member);
    expect((await remove(home.owner, id)).body.code).toBe("document_not_trashed");
    await trash(member, id);
    expect((await remove(member, id)).status).toBe(403);
    expect((await remove(home.owner, id)).status).toBe(204);
    expect((await home.owner.call("GET", `/documents/${id}`)).status).toBe(404);
    expect((await remove(home.owner, id)).status).toBe(404);
  });

  test("takes revisions, former paths, files and words of earlier events along, and leaves what was thrown away before at the top", async () => {
    const home = await world(running);
    const { owner, workspaceId } = home;
    const { top, child, leaf } = await family(home);
    await changeDocument(owner, top.id, { title: "A secret" });
    const file = await newAttached(owner, `/documents/${child.id}`);
    await trash(owner, leaf.id);
    await trash(owner, top.id);
    expect((await remove(owner, top.id)).status).toBe(204);
    for (const { id } of [top, child]) expect((await owner.call("GET", `/documents/${id}`)).status).toBe(404);
    expect((await owner.call("GET", `/attachments/${file.id}`)).status).toBe(404);
    const left = `select id::text from documents union all select document_id::text from document_revisions where document_id <> $1
        union all select path from document_former_paths where document_id <> $1`;
    expect((await running.sql<{ id: string }>(left, [leaf.id], workspaceId)).map(({ id }) => id)).toEqual([leaf.id]);
    expect(await eventsOf(running, home, top.id)).toMatchObject([
      { type: "document.created", payload: {} },
      { type: "document.updated", payload: {} },
      { type: "document.trashed", payload: {} },
      { type: "document.deleted", payload: { count: 2 } },
    ]);
    for (const { payload } of (await eventsOf(running, home, top.id)).slice(0, -1)) expect(payload).toEqual({});
    expect((await restore(owner, leaf.id)).body).toMatchObject({ parent_id: null, path: "leaf" });
  });
});
