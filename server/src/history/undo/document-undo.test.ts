// Undoing and redoing what was done to Documents: there and back again with all that is below, and what is in the way.
import { beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { commandOf, thereAndBack, undo } from "../../../test/commands.ts";
import { any, changeDocument, type MadeDocument, newDocument, readDocument } from "../../../test/documents.ts";
import { joinProject, newProject } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
let home: World;
let owner: Person;
beforeAll(async () => {
  home = await world(running);
  owner = home.owner;
});

let count = 0;
const title = () => `Document ${++count}`;
const made = (body: object = {}) => newDocument(home, { title: title(), ...body });
const label = async (scope: string, purpose = "document") =>
  (await owner.call("POST", `${scope}/label-definitions`, { body: { name: title(), purpose }, key: newKey() })).body
    .id as string;
const change = (id: string, body: object) => changeDocument(owner, id, body);
const trash = (id: string) => owner.call("DELETE", `/documents/${id}`, { key: newKey() });
/** But for positions: what comes last is somewhere else each time. */
const reading =
  (...ids: string[]) =>
  async () =>
    Promise.all(
      ids.map(async (id) => {
        const { position: _, capabilities: __, ...rest } = await readDocument(owner, id);
        return { ...rest, trashed_at: rest.trashed_at !== null, archived_at: rest.archived_at !== null };
      }),
    );
const receipt = async (answer: Answer) =>
  (await owner.call("GET", `/workspaces/${home.workspaceId}/operation-receipts/${commandOf(answer)}`)).body;
/** The receipt says beforehand what undoing is refused with. */
async function expectRefused(answer: Answer, code: string, ...codes: string[]) {
  const told = (await receipt(answer)).undo;
  expect([told.possible, told.reason, told.errors.map((error: { code: string }) => error.code)]).toEqual([
    false,
    code,
    codes,
  ]);
  expect((await undo(owner, commandOf(answer))).body).toMatchObject({
    code,
    ...(codes.length > 0 && { errors: told.errors }),
  });
}

describe("there and back again", () => {
  test("a creation is undone by the trash, with its labels and what has come below it since", async () => {
    const wide = await label(`/workspaces/${home.workspaceId}`);
    const answer = await owner.call("POST", `/workspaces/${home.workspaceId}/documents`, {
      body: { title: title(), label_ids: [wide] },
      key: newKey(),
    });
    const child = await made({ parent_id: answer.body.id });
    expect((await undo(owner, commandOf(answer))).body).toMatchObject({ state: "committed" });
    expect([
      (await readDocument(owner, answer.body.id)).trashed_at,
      (await readDocument(owner, child.id)).trashed_at,
    ]).not.toContain(null);
    const redone = await owner.call("POST", `/commands/${commandOf(answer)}/redo`);
    expect(redone.status, redone.text).toBe(200);
    expect(await readDocument(owner, answer.body.id)).toMatchObject({ trashed_at: null, label_ids: [wide] });
    expect((await readDocument(owner, child.id)).trashed_at).toBeNull();
  });

  test("title, icon, archive and place, all of one change", async () => {
    const [top, other] = [await made(), await made()];
    const document = await made({ parent_id: top.id, icon: "a" });
    const below = await made({ parent_id: document.id });
    const renamed = title();
    await thereAndBack(owner, reading(document.id, below.id), () =>
      change(document.id, { title: renamed, icon: null, archived: true, parent_id: other.id }),
    );
    await thereAndBack(owner, reading(document.id, below.id), () => change(document.id, { title: title() }));
    await thereAndBack(owner, reading(document.id), () => change(document.id, { archived: true }));
  });

  test("an order", async () => {
    const top = await made();
    const [a, b] = [await made({ parent_id: top.id }), await made({ parent_id: top.id })];
    const order = async () =>
      (await owner.call("GET", `/documents/${top.id}/children`)).body.items.map(({ id }: MadeDocument) => id);
    expect(await order()).toEqual([a.id, b.id]);
    await thereAndBack(owner, order, () =>
      owner.call("PATCH", `/documents/${b.id}`, { body: { after_document_id: null } }),
    );
  });

  test("what it says, in either form, while nobody has written since", async () => {
    const { id } = await made({ markdown: "One" });
    const said = async () => (await owner.call("GET", `/documents/${id}/markdown`)).body.markdown;
    const write = (markdown: string) => owner.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ...any });
    await thereAndBack(owner, said, () => write("Two"));
    await thereAndBack(owner, said, () => owner.call("POST", `/documents/${id}/revisions/2/restore`, any));
    const late = await write("Three");
    await write("Four");
    const refused = await undo(owner, commandOf(late));
    expect([refused.body.code, refused.body.errors[0].pointer]).toEqual([
      "undo_conflict",
      "/effects/0/content_revision",
    ]);
    expect(await said()).toBe("Four");
    const { items } = (await owner.call("GET", `/documents/${id}/revisions`)).body;
    expect(items.map(({ reason }: { reason: string }) => reason)).toContain("restore");
  });

  test("labels, by either operation", async () => {
    const wide = await label(`/workspaces/${home.workspaceId}`, "general");
    const { id } = await made();
    await thereAndBack(owner, reading(id), () => change(id, { label_ids: [wide] }));
    await thereAndBack(owner, reading(id), () =>
      owner.call("PUT", `/document/${id}/labels`, { body: { label_ids: [wide] }, key: newKey(), ...any }),
    );
  });

  test("a move to another Project, with the labels that it took off, also of what is below", async () => {
    const [one, two] = [await newProject(home), await newProject(home)];
    const [own, wide] = [await label(`/projects/${one.id}`), await label(`/workspaces/${home.workspaceId}`)];
    const top = await made({ project_id: one.id, label_ids: [own, wide] });
    const below = await made({ parent_id: top.id, label_ids: [own] });
    const answer = await change(top.id, { project_id: two.id });
    expect(answer.body).toMatchObject({ project_id: two.id, label_ids: [wide] });
    expect(await readDocument(owner, below.id)).toMatchObject({ project_id: two.id, label_ids: [] });
    expect((await undo(owner, commandOf(answer))).status).toBe(200);
    expect(await readDocument(owner, top.id)).toMatchObject({ project_id: one.id, label_ids: [own, wide] });
    expect(await readDocument(owner, below.id)).toMatchObject({ project_id: one.id, label_ids: [own] });
    await thereAndBack(owner, reading(top.id, below.id), () => change(top.id, { project_id: null }));
  });

  test("the trash and the way out of it, with all that went along", async () => {
    const top = await made();
    const below = await made({ parent_id: top.id });
    await thereAndBack(owner, reading(top.id, below.id), () => trash(top.id));
    await trash(top.id);
    await thereAndBack(owner, reading(top.id, below.id), () =>
      owner.call("POST", `/documents/${top.id}/restore`, { key: newKey(), ...any }),
    );
  });

  test("publishing is undone by taking the name back, and taking it back is not undone", async () => {
    const { id } = await made();
    const published = await change(id, { published: true });
    expect((await undo(owner, commandOf(published))).status).toBe(200);
    expect((await readDocument(owner, id)).public_id).toBeNull();
    await change(id, { published: true });
    await expectRefused(await change(id, { published: false }), "not_undoable");
  });
});

describe("what is in the way", () => {
  test("a field that somebody has changed since, and not one that the command did not touch", async () => {
    const { id } = await made();
    const answer = await change(id, { title: title() });
    await change(id, { icon: "x" });
    expect((await receipt(answer)).undo.possible).toBe(true);
    await change(id, { title: title() });
    await expectRefused(answer, "undo_conflict", "moved_on");
  });

  test("the trash, a parent that is there or gone, and what is deleted for ever", async () => {
    const [old, other] = [await made(), await made()];
    const { id } = await made({ parent_id: old.id });
    const moved = await change(id, { parent_id: other.id });
    await trash(old.id);
    await expectRefused(moved, "undo_conflict", "document_trashed");
    const thrown = await trash(id);
    await expectRefused(moved, "undo_conflict", "document_trashed");
    await trash(other.id);
    await expectRefused(thrown, "undo_conflict", "document_trashed");
    await owner.call("DELETE", `/documents/${other.id}/permanent`);
    await expectRefused(thrown, "undo_conflict", "moved_on");
    await owner.call("DELETE", `/documents/${id}/permanent`);
    await expectRefused(thrown, "undo_conflict", "not_found");
  });

  test("a parent that has come below it since: undoing makes no circle", async () => {
    const top = await made();
    const child = await made({ parent_id: top.id });
    const moved = await change(child.id, { parent_id: null });
    await change(top.id, { parent_id: child.id });
    await expectRefused(moved, "undo_conflict", "invalid_reference");
  });

  test("an archived Project, a role that may not write any more, and what is hidden by now", async () => {
    const project = await newProject(home, { visibility: "private" });
    const member = await home.member("member");
    await joinProject(home, project.id, member, "member");
    const { id } = await newDocument(home, { title: title(), project_id: project.id }, member);
    const renamed = await changeDocument(member, id, { title: title() });
    const role = (name: string) =>
      owner.call("PATCH", `/projects/${project.id}/members/${member.actorId}`, { body: { role: name }, ...any });
    await role("viewer");
    expect((await undo(member, commandOf(renamed))).status).toBe(403);
    await role("member");
    await owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, ...any });
    expect((await undo(member, commandOf(renamed))).body).toMatchObject({
      code: "undo_conflict",
      errors: [{ code: "project_archived" }],
    });
    await owner.call("DELETE", `/projects/${project.id}/members/${member.actorId}`, any);
    const told = (await member.call("GET", `/workspaces/${home.workspaceId}/operation-receipts/${commandOf(renamed)}`))
      .body;
    expect(told.effects).toMatchObject([{ kind: "document", resource_id: null }]);
    expect((await undo(member, commandOf(renamed))).body).toMatchObject({
      code: "undo_conflict",
      errors: [{ code: "not_found" }],
    });
  });
});

test("a deleted Project takes its Documents along, and undoing brings them back", async () => {
  const project = await newProject(home);
  const document = await made({ project_id: project.id });
  const answer = await owner.call("DELETE", `/projects/${project.id}`, { key: newKey() });
  expect((await owner.call("GET", `/documents/${document.id}`)).status).toBe(404);
  expect((await undo(owner, commandOf(answer))).status).toBe(200);
  expect((await readDocument(owner, document.id)).path).toBe(document.path);
});
