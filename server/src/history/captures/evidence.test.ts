// Evidence: what is captured, in which versions, and that nothing but what was captured, and may still be read, is ever
// shown.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { newAttached, newAttachment } from "../../../test/attachments.ts";
import { newDocument, say } from "../../../test/documents.ts";
import { hydrate, keep, type NativeAnswer, read, send, states } from "../../../test/native-work.ts";
import { newComment, newTask, refusalOf, workshopOn } from "../../../test/work.ts";
import { newKey, type Person, service, type World } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const PATH = "evidence-collections";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const gather = (person: Person, home: World, sources: object[], more: object = {}) =>
  keep(person, home, PATH, { sources, ...more });

test("a passage of each kind is captured with identity, revision and digest, and shown word for word", async () => {
  const { home, owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id, { title: "Gears 🦊 here", description_markdown: "Of **brass**." });
  const comment = await newComment(owner, task.id, "The brass is late.");
  const document = await newDocument(home);
  await say(running, home, document.id, "# Metals\n\nBrass does not rust.");
  const file = await newAttached(owner, `/tasks/${task.id}`, Buffer.from("\ufeffline one\nligne deux é\n"));
  const loose = await newAttachment(owner, Buffer.from("a,b\n1,2\n"), { content_type: "text/csv" });
  const made = await gather(
    owner,
    home,
    [
      { kind: "task_title", id: task.id, passage: { start: 6, end: 8 } },
      { kind: "task_description", id: task.id, revision: "1" },
      { kind: "comment", id: comment.id, passage: { start: 4, end: 9 } },
      { kind: "document", id: document.id, revision: "2", passage: { start: 10, end: 15 } },
      { kind: "attachment", id: file.id, passage: { start: 1, end: 9 } },
      { kind: "attachment", id: loose.id },
    ],
    { title: "Why brass" },
  );
  expect(made).toMatchObject({ version: 1, latest_version: 1, title: "Why brass" });
  expect(made.sources[0]).toEqual({
    id: expect.any(String),
    kind: "task_title",
    resource_id: task.id,
    revision: "1",
    passage: { start: 6, end: 8 },
    digest: sha256("🦊"),
    excluded: false,
  });
  const shown = await hydrate(owner, home, PATH, made.id);
  expect(shown.items.map(({ text }: NativeAnswer) => text)).toEqual([
    ...["🦊", "Of **brass**.", "brass", "Brass", "line one", "a,b\n1,2\n"],
  ]);
  for (const { text, digest, state } of shown.items) expect([state, digest]).toEqual(["current", sha256(text)]);
  expect(shown.items.map(({ revision }: NativeAnswer) => revision)).toEqual(["1", "1", "1", "2", file.revision, "1"]);
  // Neither the collection nor the database has a word of the text.
  expect((await read(owner, home, `${PATH}/${made.id}?version=1`)).body).toEqual(made);
  const [row] = await running.sql<{ row: string }>(
    "select e::text as row from evidence_collections e where id = $1",
    [made.id],
    home.workspaceId,
  );
  expect(row?.row).not.toMatch(/brass\.|Brass|ligne/);
});

test("a version never changes: captures and exclusions make the next one, from the latest alone", async () => {
  const { home, owner, project } = await workshopOn(running);
  const [a, b] = [await newTask(owner, project.id, { title: "A" }), await newTask(owner, project.id, { title: "B" })];
  const first = await gather(owner, home, [{ kind: "task_title", id: a.id }], { title: "One" });
  const at = (version: number) => ({ collection_id: first.id, version });
  const second = await gather(owner, home, [{ kind: "task_title", id: b.id }], at(1));
  expect([second.id, second.version, second.title]).toEqual([first.id, 2, "One"]);
  expect(second.sources.map(({ resource_id }: NativeAnswer) => resource_id)).toEqual([a.id, b.id]);
  const [kept, added] = second.sources;
  expect(kept).toEqual(first.sources[0]);
  const third = await keep(owner, home, `${PATH}/exclusions`, { ...at(2), excluded_source_ids: [kept.id] });
  expect(third.sources.map(({ excluded }: NativeAnswer) => excluded)).toEqual([true, false]);
  const fourth = await keep(owner, home, `${PATH}/exclusions`, { ...at(3), excluded_source_ids: [added.id] });
  expect(fourth.sources.map(({ excluded }: NativeAnswer) => excluded)).toEqual([false, true]);
  expect(await states(owner, home, PATH, first.id, "version=3")).toBe("excluded current");
  expect((await hydrate(owner, home, PATH, first.id, "version=3")).items[0].text).toBe(null);
  expect(await states(owner, home, PATH, first.id, "version=1")).toBe("current");
  const again = (await read(owner, home, `${PATH}/${first.id}?version=1`)).body;
  expect(again).toEqual({ ...first, latest_version: 4, capabilities: ["evidence:read"] });
  expect(first.capabilities).toEqual(["evidence:read", "evidence:update"]);
  for (const stale of [1, 3, 5]) {
    const refused = await send(owner, home, `${PATH}/exclusions`, { ...at(stale), excluded_source_ids: [] });
    expect([...refusalOf(refused), refused.body.current_revision]).toEqual([409, "revision_conflict", "4"]);
    const captured = await send(owner, home, PATH, { ...at(stale), sources: [{ kind: "task_title", id: a.id }] });
    expect(refusalOf(captured)).toEqual([409, "revision_conflict"]);
  }
  for (const query of ["version=5", "version=5&offset=31"])
    expect((await read(owner, home, `${PATH}/${first.id}/hydrate?${query}`)).status).toBe(404);
  expect((await read(owner, home, `${PATH}/${first.id}?version=5`)).status).toBe(404);
  for (const query of ["", "version=0", "version=x", "version=1.5", "version=2147483648"])
    expect((await read(owner, home, `${PATH}/${first.id}?${query}`)).status, query).toBe(400);
});

test("a passage that is captured again takes its old place, and keeps its id and its exclusion", async () => {
  const { home, owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id, { title: "Old", description_markdown: "Text" });
  const source = { kind: "task_title", id: task.id };
  const first = await gather(owner, home, [source, { kind: "task_description", id: task.id }]);
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "New" }, ifMatch: "1" });
  expect(await states(owner, home, PATH, first.id)).toBe("changed current");
  const second = await gather(owner, home, [source], { collection_id: first.id, version: 1, title: "Again" });
  expect(second.sources.map(({ id }: NativeAnswer) => id)).toEqual(first.sources.map(({ id }: NativeAnswer) => id));
  expect([second.title, second.sources[0].revision, second.sources[1].revision]).toEqual(["Again", "2", "1"]);
  expect(await states(owner, home, PATH, first.id, "version=2")).toBe("current current");
  expect(await states(owner, home, PATH, first.id, "version=1")).toBe("changed current");
});

test("of several at once that build on one version, one makes the next", async () => {
  const { home, owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id, { description_markdown: "Text" });
  const { id } = await gather(owner, home, [{ kind: "task_title", id: task.id }]);
  const bodies = Array.from({ length: 6 }, (_, n) =>
    n % 2 === 0
      ? send(owner, home, `${PATH}/exclusions`, { collection_id: id, version: 1, excluded_source_ids: [] })
      : send(owner, home, PATH, {
          collection_id: id,
          version: 1,
          sources: [{ kind: "task_description", id: task.id }],
        }),
  );
  const answers = await Promise.all(bodies);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  expect((await read(owner, home, `${PATH}/${id}?version=2`)).body.latest_version).toBe(2);
});

test("a collection has 32 sources and not one more, shown 20 at a time", async () => {
  const { home, owner, project } = await workshopOn(running);
  const title = "abcdefghijklmnopqrstuvwxyz0123456";
  const task = await newTask(owner, project.id, { title });
  const letters = Array.from({ length: 33 }, (_, at) => ({
    kind: "task_title",
    id: task.id,
    passage: { start: at, end: at + 1 },
  }));
  expect(refusalOf(await send(owner, home, PATH, { sources: letters }))).toEqual([
    ...[400, "invalid_request", "/body/sources"],
  ]);
  expect((await send(owner, home, PATH, { sources: [] })).status).toBe(400);
  const { id } = await gather(owner, home, letters.slice(0, 32));
  const more = await send(owner, home, PATH, { collection_id: id, version: 1, sources: letters.slice(32) });
  expect(refusalOf(more)).toEqual([400, "invalid_request", "/body/sources"]);
  const page = async (query: string) => {
    const { offset, count, next_offset, items } = await hydrate(owner, home, PATH, id, `version=1${query}`);
    return [offset, count, next_offset, items.map(({ text }: NativeAnswer) => text).join("")];
  };
  expect(await page("")).toEqual([0, 32, 20, title.slice(0, 20)]);
  expect(await page("&offset=20")).toEqual([20, 32, null, title.slice(20, 32)]);
  expect(await page("&offset=31&limit=1")).toEqual([31, 32, null, title.slice(31, 32)]);
  expect(await page("&offset=3&limit=2")).toEqual([3, 32, 5, "de"]);
  const small = await gather(owner, home, letters.slice(0, 1));
  expect((await hydrate(owner, home, PATH, small.id, "version=1&offset=31")).items).toEqual([]);
  for (const query of ["offset=32", "offset=-1", "limit=0", "limit=21"])
    expect((await read(owner, home, `${PATH}/${id}/hydrate?version=1&${query}`)).status, query).toBe(400);
});

test("what is no passage of something that the caller reads is refused, with a pointer", async () => {
  const { home, owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id, { title: "Gears 🦊 here" });
  const long = await newDocument(home);
  await say(running, home, long.id, "x".repeat(65_537));
  const binary = await newAttachment(owner, Buffer.from([0x68, 0xff, 0xfe, 0x69]));
  const large = await newAttachment(owner, Buffer.alloc(1_048_577, "x"));
  const html = await newAttachment(owner, Buffer.from("{}"), { content_type: "application/json" });
  const refused = async (source: object) =>
    refusalOf(await send(owner, home, PATH, { sources: [{ kind: "task_title", id: task.id }, source] }));
  const [invalid, missing] = [
    [400, "invalid_request", "/body/sources/1/passage"],
    [404, "not_found", "/body/sources/1/id"],
  ];
  const title = { kind: "task_title", id: task.id };
  for (const [start, end] of [
    [0, 14],
    [5, 5],
    [6, 5],
    [14, 15],
    // Half of the fox.
    [0, 7],
    [7, 9],
  ])
    expect(await refused({ ...title, passage: { start, end } }), `${start} to ${end}`).toEqual(invalid);
  expect(await refused({ kind: "task_description", id: task.id })).toEqual(invalid);
  expect(await refused({ kind: "document", id: long.id })).toEqual(invalid);
  expect(await refused({ kind: "document", id: long.id, passage: { start: 0, end: 65_537 } })).toEqual(invalid);
  await gather(owner, home, [{ kind: "document", id: long.id, passage: { start: 1, end: 65_537 } }]);
  for (const source of [
    { kind: "task_title", id: newId() },
    { kind: "comment", id: task.id },
    { kind: "document", id: task.id },
    ...[binary, large, html].map(({ id }) => ({ kind: "attachment", id })),
  ])
    expect(await refused(source), JSON.stringify(source)).toEqual(missing);
  const stale = await send(owner, home, PATH, { sources: [{ ...title, revision: "2" }] });
  expect([...refusalOf(stale), stale.body.current_revision]).toEqual([
    ...[409, "revision_conflict", "/body/sources/0/revision", "1"],
  ]);
  const { id, sources } = await gather(owner, home, [title]);
  for (const [body, pointer] of [
    [{ sources: [title], collection_id: id }, "/body/version"],
    [{ sources: [title], version: 1 }, "/body/collection_id"],
  ] as const)
    expect(refusalOf(await send(owner, home, PATH, body))).toEqual([400, "invalid_request", pointer]);
  const exclude = (body: object) => send(owner, home, `${PATH}/exclusions`, { version: 1, ...body });
  expect(refusalOf(await exclude({ collection_id: id, excluded_source_ids: [sources[0].id, newId()] }))).toEqual([
    ...[404, "not_found", "/body/excluded_source_ids/1"],
  ]);
  expect(refusalOf(await exclude({ collection_id: newId(), excluded_source_ids: [] }))).toEqual([
    ...[404, "not_found", "/body/collection_id"],
  ]);
});

test("nobody else sees that a collection exists, an owner of the Workspace neither, and nobody captures what they cannot read", async () => {
  const { home, owner, project } = await workshopOn(running);
  const member = await home.member("viewer");
  const task = await newTask(owner, project.id);
  const { id } = await gather(member, home, [{ kind: "task_title", id: task.id }]);
  expect(await states(member, home, PATH, id)).toBe("current");
  for (const person of [owner, await home.member("admin")]) {
    for (const path of [`${id}?version=1`, `${id}/hydrate?version=1`, `${newId()}?version=1`])
      expect(refusalOf(await read(person, home, `${PATH}/${path}`)), path).toEqual([404, "not_found"]);
    const next = { collection_id: id, version: 1 };
    for (const [path, body] of [
      [PATH, { ...next, sources: [{ kind: "task_title", id: task.id }] }],
      [`${PATH}/exclusions`, { ...next, excluded_source_ids: [] }],
    ] as const)
      expect(refusalOf(await send(person, home, path, body))).toEqual([404, "not_found", "/body/collection_id"]);
  }
  const { home: other, owner: stranger, project: elsewhere } = await workshopOn(running);
  const theirs = await newTask(stranger, elsewhere.id);
  expect(refusalOf(await send(owner, home, PATH, { sources: [{ kind: "task_title", id: theirs.id }] }))).toEqual([
    ...[404, "not_found", "/body/sources/0/id"],
  ]);
  expect((await read(stranger, other, `${PATH}/${id}?version=1`)).status).toBe(404);
});

test("a repeated key gets the first answer, and makes no second version", async () => {
  const { home, owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const { id, sources } = await gather(owner, home, [{ kind: "task_title", id: task.id }]);
  const body = { collection_id: id, version: 1, excluded_source_ids: [sources[0].id] };
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => send(owner, home, `${PATH}/exclusions`, body, key)),
  );
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect((await read(owner, home, `${PATH}/${id}?version=2`)).body.latest_version).toBe(2);
});
