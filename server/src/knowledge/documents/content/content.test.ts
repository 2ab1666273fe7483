// Document content: two forms of one content, written only over the revision that the writer has read, with its
// mentions and embedded files.
import { expect, test } from "vitest";
import { newAttached } from "../../../../test/attachments.ts";
import { any, newDocument } from "../../../../test/documents.ts";
import { eventsOf, newProject, newTask } from "../../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();

type Form = "markdown" | "content";
const path = (id: string, form: Form = "markdown") => `/documents/${id}/${form}`;
const read = (person: Person, id: string, form?: Form) => person.call("GET", path(id, form));
const write = (person: Person, id: string, markdown: string, ifMatch = "1") =>
  person.call("PUT", path(id), { body: { markdown }, ...(ifMatch === "*" ? any : { ifMatch }) });
const say = (text: string) => ({ type: "doc", content: [{ type: "paragraph", content: [{ type: "text", text }] }] });
async function handbook(given: object = {}) {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const { id } = await newDocument(home, given);
  return { home, owner, workspaceId, id };
}

test("what is written in one form is read in the other, under the revision of the content", async () => {
  const { home, owner, id } = await handbook();
  expect((await read(owner, id)).body).toEqual({ markdown: "", content_revision: "1" });
  const written = await write(owner, id, "Title\n===\n\n* a\n* __b__\n");
  expect(written.body).toEqual({ markdown: "# Title\n\n- a\n- **b**", content_revision: "2" });
  expect(written.headers.get("etag")).toBe('"2"');
  expect(written.trips).toBeLessThanOrEqual(4);
  const asContent = await read(owner, id, "content");
  expect(asContent.trips).toBe(1);
  expect(asContent.headers.get("etag")).toBe('"2"');
  expect(asContent.body.content.content[0]).toEqual({
    type: "heading",
    attrs: { level: 1 },
    content: [{ type: "text", text: "Title" }],
  });
  const again = await owner.call("PUT", path(id, "content"), { body: { content: say("Hello") }, ifMatch: "2" });
  expect(again.body).toEqual({ content: say("Hello"), content_revision: "3" });
  expect((await read(owner, id)).body).toEqual({ markdown: "Hello", content_revision: "3" });
  const { body } = await owner.call("GET", `/documents/${id}`);
  expect([body.revision, body.content_revision]).toEqual(["1", "3"]);
  expect((await eventsOf(running, home, id)).slice(1)).toEqual([
    { type: "document.content_updated", activity: "document", payload: { from: "1", to: "2", reason: "write" } },
    { type: "document.content_updated", activity: "document", payload: { from: "2", to: "3", reason: "write" } },
  ]);
});

test("a Document is made with what it says", async () => {
  const { home, owner, workspaceId } = await handbook();
  const { id } = await newDocument(home, { markdown: "Hello *you*" });
  expect((await read(owner, id)).body).toEqual({ markdown: "Hello *you*", content_revision: "1" });
  const refused = await owner.call("POST", `/workspaces/${workspaceId}/documents`, {
    body: { title: "x", markdown: `![x](attachment:${newId()})` },
    key: newKey(),
  });
  expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
    422,
    "invalid_reference",
    "/body/markdown",
  ]);
});

test("a change of nothing makes no revision and no event, in whichever form it comes", async () => {
  const { home, owner, id } = await handbook({ markdown: "- a\n- b" });
  for (const markdown of ["- a\n- b", "* a\n* b\n\n"]) {
    const { status, body } = await write(owner, id, markdown);
    expect([status, body]).toEqual([200, { markdown: "- a\n- b", content_revision: "1" }]);
  }
  const { content } = (await read(owner, id, "content")).body;
  expect(
    (await owner.call("PUT", path(id, "content"), { body: { content }, ifMatch: "1" })).body.content_revision,
  ).toBe("1");
  expect(await eventsOf(running, home, id)).toHaveLength(1);
});

test("If-Match names the revision of the content, and nothing is written over what the writer has not read", async () => {
  const { owner, id } = await handbook();
  expect((await owner.call("PUT", path(id), { body: { markdown: "x" } })).body.code).toBe("if_match_required");
  await owner.call("PATCH", `/documents/${id}`, { body: { title: "Renamed" }, ifMatch: "1" });
  expect((await write(owner, id, "one", "1")).status).toBe(200);
  const stale = await write(owner, id, "two", "1");
  expect([stale.status, stale.body.code, stale.body.current_revision]).toEqual([409, "revision_conflict", "2"]);
  expect((await write(owner, id, "three", "*")).body.content_revision).toBe("3");
});

test("of several who write over one revision at once one does; those who name none all do", async () => {
  const { owner, id } = await handbook();
  const race = (ifMatch: string) =>
    Promise.all(Array.from({ length: 6 }, (_, at) => write(owner, id, `text ${ifMatch} ${at}`, ifMatch)));
  const named = await race("1");
  expect(named.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  const free = await race("*");
  expect(free.map(({ body }) => body.content_revision).sort()).toEqual(["3", "4", "5", "6", "7", "8"]);
});

test("a repeated key writes once", async () => {
  const { owner, id } = await handbook();
  const key = newKey();
  const call = () => owner.call("PUT", path(id), { body: { markdown: "once" }, ifMatch: "1", key });
  const [first, second] = [await call(), await call()];
  expect(second.body).toEqual(first.body);
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect((await read(owner, id)).body.content_revision).toBe("2");
});

test("262,144 characters are written and read back; one more, or more in their one spelling, are not", async () => {
  const { owner, id } = await handbook();
  const most = `${"word ".repeat(52_428)}last`;
  expect(most).toHaveLength(262_144);
  expect((await write(owner, id, most)).body.content_revision).toBe("2");
  expect((await read(owner, id)).body.markdown).toBe(most);
  expect((await write(owner, id, `${most}x`, "2")).body.errors[0]).toMatchObject({ pointer: "/body/markdown" });
  const longer = await write(owner, id, "<a".repeat(131_072), "2");
  expect([longer.status, longer.body.code]).toEqual([422, "document_too_large"]);
  const content = say(`${most}x`);
  expect((await owner.call("PUT", path(id, "content"), { body: { content }, ifMatch: "2" })).body.code).toBe(
    "document_too_large",
  );
});

test("what is no content is refused where it is wrong", async () => {
  const { owner, id } = await handbook();
  const refused = async (content: unknown) => {
    const { status, body } = await owner.call("PUT", path(id, "content"), { body: { content }, ifMatch: "1" });
    return [status, body.errors?.[0]?.pointer];
  };
  expect(await refused({ type: "doc", content: [{ type: "script" }] })).toEqual([400, "/body/content/content/0/type"]);
  expect(await refused({ type: "doc", content: [] })).toEqual([400, "/body/content/content"]);
  expect(await refused("text")).toEqual([400, "/body/content"]);
  expect(await refused(null)).toEqual([400, "/body/content"]);
  const deep = await write(owner, id, `${">".repeat(200)} a`);
  expect([deep.status, deep.body.errors[0].pointer]).toEqual([400, "/body/markdown"]);
});

test("HTML comes back as the text that it is", async () => {
  const { owner, id } = await handbook();
  await write(owner, id, "<script>alert(1)</script>");
  expect((await read(owner, id, "content")).body.content).toEqual(say("<script>alert(1)</script>"));
});

test("mentions are looked up by id or by name, become links of the Document, and what the writer does not see becomes text", async () => {
  const { home, owner, workspaceId, id } = await handbook();
  const member = await home.member("member");
  const open = await newProject(home);
  const hidden = await newProject(home, { visibility: "private" });
  const [seen, unseen] = [await newTask(owner, open.id), await newTask(owner, hidden.id)];
  const markdown =
    `[${seen.code}](svc:task/${seen.code.toLowerCase()}) [T](svc:task/${unseen.code}) ` +
    `[U](svc:task/${unseen.id}) ` +
    `[P](svc:project/${open.key}) [me](svc:person/${member.actorId}) [D](svc:document/${id}) [?](svc:task/NO-1)`;
  const written = await write(member, id, markdown);
  expect(written.body.markdown).toBe(
    `[${seen.code}](svc:task/${seen.id}) T U [P](svc:project/${open.id}) [me](svc:person/${member.actorId}) ` +
      `[D](svc:document/${id}) ?`,
  );
  const links = async () =>
    (await running.sql(
      `select target_kind as kind, target_id as id from document_links where document_id = $1 and origin = 'content'
        order by 1, 2`,
      [id],
      workspaceId,
    )) as unknown[];
  expect(await links()).toHaveLength(4);
  // Who sees it may mention it, and then nobody else takes it away by writing something else.
  const kept = `[U](svc:task/${unseen.id})`;
  expect((await write(owner, id, kept, "2")).body.markdown).toBe(kept);
  expect((await write(member, id, `${kept} and more`, "3")).body.markdown).toBe(`${kept} and more`);
  expect(await links()).toEqual([{ kind: "task", id: unseen.id }]);
});

test("files must be attached to the Document; one that it showed before may be gone", async () => {
  const { home, owner, id } = await handbook();
  const other = await newDocument(home);
  const [file, elsewhere] = [
    await newAttached(owner, `/documents/${id}`),
    await newAttached(owner, `/documents/${other.id}`),
  ];
  const shown = `![x](attachment:${file.id})`;
  expect((await write(owner, id, shown)).body.markdown).toBe(shown);
  for (const attachment of [elsewhere.id, newId()]) {
    const { status, body } = await write(owner, id, `[x](attachment:${attachment})`, "2");
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, "invalid_reference", "/body/markdown"]);
  }
  expect((await owner.call("DELETE", `/attachments/${file.id}`, any)).status).toBe(204);
  expect((await write(owner, id, `${shown} still`, "2")).status).toBe(200);
});

test("in the trash it is only read; a viewer only reads; elsewhere nobody finds it", async () => {
  const { home, owner, id } = await handbook({ markdown: "a" });
  const viewer = await home.member("viewer");
  expect((await read(viewer, id)).status).toBe(200);
  expect((await write(viewer, id, "b")).status).toBe(403);
  const stranger = (await world(running)).owner;
  expect([(await read(stranger, id)).status, (await write(stranger, id, "b")).status]).toEqual([404, 404]);
  await owner.call("DELETE", `/documents/${id}`);
  expect((await read(owner, id)).body.markdown).toBe("a");
  expect((await write(owner, id, "b")).body.code).toBe("document_trashed");
});

test("whoever has it already is told so", async () => {
  const { owner, id } = await handbook({ markdown: "a" });
  const known = await owner.call("GET", path(id), { headers: { "if-none-match": '"1"' } });
  expect([known.status, known.text]).toEqual([304, ""]);
});
