// Documents: where they stand in the tree, what they are called, and how their paths lead to them.
import { describe, expect, test } from "vitest";
import {
  any,
  byPath,
  changeDocument,
  childrenOf,
  type MadeDocument,
  newDocument,
  readDocument,
} from "../../../test/documents.ts";
import { eventsOf, joinProject, newProject, refusalOf } from "../../../test/work.ts";
import { newKey, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
/** So many Documents, each below the one before. */
async function chain(home: World, count: number, title = "Level") {
  const made: MadeDocument[] = [];
  for (let parent_id: string | null = null, at = 1; at <= count; at++) {
    const document: MadeDocument = await newDocument(home, { title: `${title} ${at}`, parent_id });
    made.push(document);
    parent_id = document.id;
  }
  return made;
}

describe("a Document", () => {
  test("is made empty at the top of the Workspace, with revision 1 of its content, and every member reads it", async () => {
    const home = await world(running);
    const made = await newDocument(home, { title: "  How we plan ", icon: "📘" });
    expect(made).toMatchObject({
      title: "How we plan",
      icon: "📘",
      path: "how-we-plan",
      parent_id: null,
      project_id: null,
      revision: "1",
      content_revision: "1",
      label_ids: [],
      has_children: false,
      published_at: null,
      public_id: null,
      archived_at: null,
      trashed_at: null,
      created_by_actor_id: home.owner.actorId,
      capabilities: ["documents:read", "documents:write", "documents:manage"],
    });
    const viewer = await home.member("viewer");
    expect((await viewer.call("GET", `/documents/${made.id}`)).body.capabilities).toEqual(["documents:read"]);
    const sql =
      "select revision::int, markdown, author_actor_ids, reason from document_revisions where document_id = $1";
    expect(await running.sql(sql, [made.id], home.workspaceId)).toEqual([
      { revision: 1, markdown: "", author_actor_ids: [home.owner.actorId], reason: "write" },
    ]);
    expect(await eventsOf(running, home, made.id)).toMatchObject([
      { type: "document.created", activity: "document", payload: { title: "How we plan" } },
    ]);
  });

  test("is changed by who may write, under its revision, and a change of nothing changes nothing", async () => {
    const home = await world(running);
    const { id } = await newDocument(home);
    const [member, viewer] = [await home.member("member"), await home.member("viewer")];
    expect((await changeDocument(viewer, id, { title: "No" })).status).toBe(403);
    const changed = await member.call("PATCH", `/documents/${id}`, { body: { icon: "x" }, ifMatch: "1" });
    expect([changed.status, changed.body.revision, changed.headers.get("etag")]).toEqual([200, "2", '"2"']);
    expect((await member.call("PATCH", `/documents/${id}`, { body: { icon: "y" }, ifMatch: "1" })).body.code).toBe(
      "revision_conflict",
    );
    const same = await changeDocument(member, id, {
      icon: "x",
      title: "Handbook",
      parent_id: null,
      project_id: null,
      archived: false,
      published: false,
    });
    expect([same.status, same.body.revision]).toEqual([200, "2"]);
    expect((await eventsOf(running, home, id)).map(({ type }) => type)).toEqual([
      "document.created",
      "document.updated",
    ]);
    expect((await member.call("PATCH", `/documents/${id}`, { body: { title: "T" } })).body.code).toBe(
      "if_match_required",
    );
  });

  test("is archived and taken back, and leaves the lists meanwhile", async () => {
    const home = await world(running);
    const { id } = await newDocument(home);
    const archived = (await changeDocument(home.owner, id, { archived: true })).body;
    expect(archived.archived_at).not.toBeNull();
    const listed = async (query = "") =>
      (await home.owner.call("GET", `/workspaces/${home.workspaceId}/documents${query}`)).body.items.length;
    expect([await listed(), await listed("?archived=true")]).toEqual([0, 1]);
    expect((await changeDocument(home.owner, id, { archived: false })).body.archived_at).toBeNull();
    expect([await listed(), await listed("?archived=true")]).toEqual([1, 0]);
    expect((await eventsOf(running, home, id)).map(({ type }) => type)).toEqual([
      "document.created",
      "document.archived",
      "document.unarchived",
    ]);
  });

  test("is published by who manages Documents, under another name each time, and taken back at once", async () => {
    const home = await world(running);
    const { id } = await newDocument(home);
    const member = await home.member("member");
    expect((await changeDocument(member, id, { published: true })).status).toBe(403);
    const first = (await changeDocument(home.owner, id, { published: true })).body;
    expect(first.public_id).toMatch(/^[0-9A-Za-z]{22}$/);
    expect((await changeDocument(home.owner, id, { published: true })).body).toMatchObject({
      public_id: first.public_id,
      revision: first.revision,
    });
    const names = () =>
      running.sql<{ public_id: string }>(
        "select public_id from publications where resource_id = $1",
        [id],
        home.workspaceId,
      );
    expect(await names()).toEqual([{ public_id: first.public_id }]);
    expect((await changeDocument(home.owner, id, { published: false })).body).toMatchObject({
      public_id: null,
      published_at: null,
    });
    expect(await names()).toEqual([]);
    const second = (await changeDocument(home.owner, id, { published: true })).body;
    expect(second.public_id).not.toBe(first.public_id);
    for (const { payload } of await eventsOf(running, home, id))
      expect(JSON.stringify(payload)).not.toContain(first.public_id);
  });
});

test("who manages Documents in one Project only does not publish into another by moving there", async () => {
  const home = await world(running);
  const lead = await home.member("member");
  const [own, other] = [await newProject(home, {}, lead), await newProject(home)];
  const { id } = await newDocument(home, { project_id: own.id }, lead);
  expect((await changeDocument(lead, id, { project_id: other.id, published: true })).status).toBe(403);
  const published = (await changeDocument(lead, id, { published: true })).body;
  expect(published.public_id).not.toBeNull();
  // What leaves its Project is not public any more, and comes to the next without its name.
  expect((await changeDocument(lead, id, { project_id: other.id })).body).toMatchObject({
    public_id: null,
    published_at: null,
  });
  expect(await running.sql("select from publications where resource_id = $1", [id], home.workspaceId)).toEqual([]);
  const back = (await changeDocument(home.owner, id, { project_id: own.id, published: true })).body;
  expect([back.project_id, back.public_id === null, back.public_id === published.public_id]).toEqual([
    own.id,
    false,
    false,
  ]);
});

describe("the tree", () => {
  test("a Document stands last below its parent, and is put beside another", async () => {
    const home = await world(running);
    const { owner } = home;
    const parent = await newDocument(home);
    const made = [];
    for (const title of ["A", "B", "C"]) made.push(await newDocument(home, { title, parent_id: parent.id }));
    const [first, second, third] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]];
    expect(await childrenOf(owner, parent.id)).toEqual([first.id, second.id, third.id]);
    expect((await readDocument(owner, parent.id)).has_children).toBe(true);
    const put = (id: string, body: object) => owner.call("PATCH", `/documents/${id}`, { body });
    expect((await put(third.id, { after_document_id: null })).status).toBe(200);
    expect(await childrenOf(owner, parent.id)).toEqual([third.id, first.id, second.id]);
    expect((await put(third.id, { after_document_id: first.id })).status).toBe(200);
    expect(await childrenOf(owner, parent.id)).toEqual([first.id, third.id, second.id]);
    expect((await put(first.id, { before_document_id: null })).status).toBe(200);
    expect(await childrenOf(owner, parent.id)).toEqual([third.id, second.id, first.id]);
    expect(refusalOf(await put(first.id, { after_document_id: parent.id }))).toEqual([
      422,
      "invalid_reference",
      "/body/after_document_id",
    ]);
    expect(refusalOf(await put(first.id, { after_document_id: first.id }))).toEqual([
      422,
      "invalid_reference",
      "/body/after_document_id",
    ]);
    expect(refusalOf(await put(first.id, { after_document_id: null, before_document_id: null }))).toEqual([
      400,
      "invalid_request",
      "/body/after_document_id",
    ]);
  });

  test("a move takes all that is below along, and every path with it", async () => {
    const home = await world(running);
    const { owner } = home;
    const [top, middle, leaf] = (await chain(home, 3)) as [MadeDocument, MadeDocument, MadeDocument];
    const other = await newDocument(home, { title: "Other" });
    const moved = await changeDocument(owner, middle.id, { parent_id: other.id });
    expect([moved.status, moved.body.path, moved.body.parent_id]).toEqual([200, "other/level-2", other.id]);
    const below = await readDocument(owner, leaf.id);
    expect([below.path, below.revision]).toEqual(["other/level-2/level-3", "1"]);
    expect(await childrenOf(owner, top.id)).toEqual([]);
    for (const path of [leaf.path, "other/level-2/level-3"])
      expect((await byPath(owner, home, path)).body.id).toBe(leaf.id);
  });

  test("never below itself, and at most 20 levels deep with all that is below", async () => {
    const home = await world(running);
    const { owner } = home;
    const levels = await chain(home, 20);
    const at = (level: number) => levels[level - 1]?.id as string;
    const refused = async (answer: ReturnType<typeof changeDocument>) => refusalOf(await answer);
    for (const parent_id of [at(1), at(2), at(20)])
      expect(await refused(changeDocument(owner, at(1), { parent_id }))).toEqual([
        422,
        "invalid_reference",
        "/body/parent_id",
      ]);
    const create = (parent_id: string) =>
      owner.call("POST", `/workspaces/${home.workspaceId}/documents`, {
        body: { title: "Deep", parent_id },
        key: newKey(),
      });
    expect(refusalOf(await create(at(20)))).toEqual([422, "document_too_deep"]);
    expect((await create(at(19))).status).toBe(201);
    const pair = await chain(home, 2, "Pair");
    expect(await refused(changeDocument(owner, pair[0]?.id as string, { parent_id: at(19) }))).toEqual([
      422,
      "document_too_deep",
    ]);
    expect((await changeDocument(owner, pair[0]?.id as string, { parent_id: at(18) })).status).toBe(200);
    expect((await readDocument(owner, pair[1]?.id as string)).parent_id).toBe(pair[0]?.id);
  });

  test("a subtree has one Project: below a parent it is the parent's, and at the top it can be changed", async () => {
    const home = await world(running);
    const { owner } = home;
    const [one, two] = [await newProject(home), await newProject(home)];
    const top = await newDocument(home, { title: "Top", project_id: one.id });
    const child = await newDocument(home, { title: "Child", parent_id: top.id });
    expect(child.project_id).toBe(one.id);
    const create = (body: object) =>
      owner.call("POST", `/workspaces/${home.workspaceId}/documents`, { body: { title: "X", ...body }, key: newKey() });
    expect(refusalOf(await create({ parent_id: top.id, project_id: two.id }))).toEqual([
      422,
      "invalid_reference",
      "/body/project_id",
    ]);
    expect(refusalOf(await create({ parent_id: top.id, project_id: null }))).toEqual([
      422,
      "invalid_reference",
      "/body/project_id",
    ]);
    expect((await create({ parent_id: top.id, project_id: one.id })).status).toBe(201);
    expect(refusalOf(await changeDocument(owner, child.id, { project_id: two.id }))).toEqual([
      422,
      "invalid_reference",
      "/body/project_id",
    ]);
    expect((await changeDocument(owner, top.id, { project_id: two.id })).body.project_id).toBe(two.id);
    expect((await readDocument(owner, child.id)).project_id).toBe(two.id);
    expect((await changeDocument(owner, child.id, { parent_id: null, project_id: null })).body).toMatchObject({
      parent_id: null,
      project_id: null,
      path: "child",
    });
    expect((await changeDocument(owner, child.id, { parent_id: top.id })).body).toMatchObject({
      parent_id: top.id,
      project_id: two.id,
    });
    expect((await changeDocument(owner, child.id, { parent_id: null })).body).toMatchObject({
      parent_id: null,
      project_id: two.id,
    });
  });

  test("a parent or Project that is hidden, missing, archived, in the trash or read-only for the caller is refused", async () => {
    const home = await world(running);
    const { owner } = home;
    const member = await home.member("member");
    const hidden = await newProject(home, { visibility: "private" });
    const secret = await newDocument(home, { title: "Secret", project_id: hidden.id });
    const own = await newDocument(home, { title: "Own" }, member);
    for (const [body, pointer] of [
      [{ parent_id: secret.id }, "/body/parent_id"],
      [{ parent_id: newId() }, "/body/parent_id"],
      [{ project_id: hidden.id }, "/body/project_id"],
      [{ project_id: newId() }, "/body/project_id"],
    ] as const) {
      expect(refusalOf(await changeDocument(member, own.id, body))).toEqual([422, "invalid_reference", pointer]);
      const made = await member.call("POST", `/workspaces/${home.workspaceId}/documents`, {
        body: { title: "N", ...body },
        key: newKey(),
      });
      expect(refusalOf(made)).toEqual([422, "invalid_reference", pointer]);
    }
    await joinProject(home, hidden.id, member, "viewer");
    expect((await changeDocument(member, own.id, { parent_id: secret.id })).status).toBe(403);
    const old = await newProject(home);
    await owner.call("PATCH", `/projects/${old.id}`, { body: { archived: true }, ...any });
    expect((await changeDocument(owner, own.id, { project_id: old.id })).body.code).toBe("project_archived");
    const thrown = await newDocument(home, { title: "Thrown" });
    await owner.call("DELETE", `/documents/${thrown.id}`, {});
    expect((await changeDocument(owner, own.id, { parent_id: thrown.id })).body.code).toBe("document_trashed");
  });
});

describe("who sees a Document", () => {
  test("in a private Project it is there for its people alone, at every address and in every list", async () => {
    const home = await world(running);
    const { workspaceId, owner } = home;
    const outsider = await home.member("member");
    const project = await newProject(home, { visibility: "private" });
    const top = await newDocument(home, { title: "Plan", project_id: project.id });
    const child = await newDocument(home, { title: "Details", parent_id: top.id });
    const lists = (person: typeof owner, query: string) =>
      person.call("GET", `/workspaces/${workspaceId}/documents${query}`).then(({ body }) => body.items.length);
    for (const path of [
      `/documents/${top.id}`,
      `/documents/${child.id}/children`,
      `/documents/${child.id}/attachments`,
      `/document/${top.id}/labels`,
    ])
      expect([(await owner.call("GET", path)).status, (await outsider.call("GET", path)).status]).toEqual([200, 404]);
    expect([(await byPath(owner, home, child.path)).status, (await byPath(outsider, home, child.path)).status]).toEqual(
      [200, 404],
    );
    for (const query of [
      "",
      `?project_id=${project.id}`,
      `?parent_id=${top.id}`,
      `?parent_id=none&project_id=${project.id}&sort=position`,
      "?sort=title",
      "?sort=created",
    ])
      expect([(await lists(owner, query)) > 0, await lists(outsider, query)], query).toEqual([true, 0]);
    for (const [method, path] of [
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/restore"],
      ["DELETE", "/permanent"],
    ] as const)
      expect(
        (
          await outsider.call(method, `/documents/${top.id}${path}`, {
            body: method === "PATCH" ? { title: "T" } : undefined,
            ...any,
          })
        ).status,
      ).toBe(404);
    await joinProject(home, project.id, outsider, "member");
    expect(await lists(outsider, "")).toBe(2);
    const moved = await changeDocument(owner, top.id, { project_id: null });
    expect(moved.status).toBe(200);
  });

  test("with an archived Project it is only read", async () => {
    const home = await world(running);
    const { owner } = home;
    const project = await newProject(home);
    const { id } = await newDocument(home, { project_id: project.id });
    await owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, ...any });
    expect((await readDocument(owner, id)).capabilities).toEqual(["documents:read"]);
    expect((await changeDocument(owner, id, { title: "No" })).body.code).toBe("project_archived");
    expect((await owner.call("DELETE", `/documents/${id}`, {})).body.code).toBe("project_archived");
    expect((await changeDocument(owner, id, { project_id: null })).body.code).toBe("project_archived");
  });
});
