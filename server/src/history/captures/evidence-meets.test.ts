// Evidence and what happens to its sources: changed, thrown away, hidden, deleted, archived. Text is shown only while
// it is what was captured and may be read now, and what is hidden tells nothing more than that it is unavailable.
import { expect, test } from "vitest";
import { newAttached } from "../../../test/attachments.ts";
import { any, changeDocument, newDocument } from "../../../test/documents.ts";
import { hydrate, keep, type NativeAnswer, send, states } from "../../../test/native-work.ts";
import { joinProject, newComment, newProject, newTask, workshopOn } from "../../../test/work.ts";
import { newKey, type Person, service, type World } from "../../../test/world.ts";

const running = service();
const PATH = "evidence-collections";
const markdown = (person: Person, id: string, text: string) =>
  person.call("PUT", `/documents/${id}/markdown`, { body: { markdown: text }, ...any });

/** One source of every kind in a Project, captured by a member; and what the member is shown of them. */
async function gathered() {
  const { home, owner, project } = await workshopOn(running);
  const member = await home.member("member");
  const task = await newTask(owner, project.id, { title: "Gears", description_markdown: "Of brass" });
  const comment = await newComment(owner, task.id, "It is late");
  const document = await newDocument(home, { project_id: project.id, markdown: "Brass" });
  const file = await newAttached(owner, `/tasks/${task.id}`, Buffer.from("a list"));
  const sources = [
    { kind: "task_title", id: task.id },
    { kind: "task_description", id: task.id },
    { kind: "comment", id: comment.id },
    { kind: "document", id: document.id },
    { kind: "attachment", id: file.id },
  ];
  const { id } = await keep(member, home, PATH, { sources });
  const told = async () => {
    const { items } = await hydrate(member, home, PATH, id);
    for (const { state, text } of items) expect(text === null, state).toBe(state !== "current");
    return items.map(({ state }: NativeAnswer) => state).join(" ");
  };
  expect(await told()).toBe("current current current current current");
  return { home, owner, project, member, task, comment, document, file, sources, told };
}

test("a change of the text is told of its source alone, and other changes are none", async () => {
  const { owner, task, comment, document, told } = await gathered();
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { priority: "high" }, ...any });
  await changeDocument(owner, document.id, { title: "Metals" });
  expect(await told()).toBe("current current current current current");
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { description_markdown: "Of iron" }, ...any });
  expect(await told()).toBe("current changed current current current");
  await owner.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "It is here" }, ...any });
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "Wheels" }, ...any });
  expect(await told()).toBe("changed changed changed current current");
});

test("a Document that has a new revision is changed, and what is restored says again what was captured", async () => {
  const { home, owner, document, told } = await gathered();
  expect((await markdown(owner, document.id, "Iron")).status).toBe(200);
  expect(await told()).toBe("current current current changed current");
  // A text around the passage may turn its meaning, so that it counts, too.
  const part = await keep(owner, home, PATH, {
    sources: [{ kind: "document", id: document.id, passage: { start: 0, end: 2 } }],
  });
  await markdown(owner, document.id, "Iron is not brass");
  expect(await states(owner, home, PATH, part.id)).toBe("changed");
  const restored = await owner.call("POST", `/documents/${document.id}/revisions/1/restore`, any);
  expect(restored.status, restored.text).toBe(200);
  expect(await told()).toBe("current current current current current");
  const stale = await send(owner, home, PATH, { sources: [{ kind: "document", id: document.id, revision: "1" }] });
  expect([stale.status, stale.body.code]).toEqual([409, "revision_conflict"]);
});

test("what is in the trash is unavailable, cannot be captured, and comes back with its text", async () => {
  const { home, owner, member, task, document, sources, told } = await gathered();
  await owner.call("DELETE", `/documents/${document.id}`);
  expect(await told()).toBe("current current current unavailable current");
  await owner.call("POST", `/tasks/${task.id}/trash`, any);
  expect(await told()).toBe("unavailable unavailable unavailable unavailable unavailable");
  for (const source of sources) expect((await send(member, home, PATH, { sources: [source] })).status).toBe(404);
  await owner.call("POST", `/documents/${document.id}/restore`, any);
  await owner.call("POST", `/tasks/${task.id}/restore`, any);
  expect(await told()).toBe("current current current current current");
});

test("what is deleted for ever, and a comment that is a tombstone, are unavailable", async () => {
  const { owner, task, comment, document, file, told } = await gathered();
  await owner.call("DELETE", `/comments/${comment.id}`);
  await owner.call("DELETE", `/attachments/${file.id}`);
  await owner.call("DELETE", `/documents/${document.id}`);
  await owner.call("DELETE", `/documents/${document.id}/permanent`);
  expect(await told()).toBe("current current unavailable unavailable unavailable");
  await owner.call("POST", `/tasks/${task.id}/trash`, any);
  await owner.call("DELETE", `/tasks/${task.id}`);
  expect(await told()).toBe("unavailable unavailable unavailable unavailable unavailable");
});

test("a Project that becomes private hides all of it from who is not in it, and a member of it reads on", async () => {
  const { home, owner, project, member, sources, told } = await gathered();
  const make = (visibility: string) =>
    owner.call("PATCH", `/projects/${project.id}`, { body: { visibility }, headers: { "if-match": "*" } });
  expect((await make("private")).status).toBe(200);
  expect(await told()).toBe("unavailable unavailable unavailable unavailable unavailable");
  for (const source of sources) expect((await send(member, home, PATH, { sources: [source] })).status).toBe(404);
  await joinProject(home, project.id, member, "viewer");
  expect(await told()).toBe("current current current current current");
  await owner.call("DELETE", `/projects/${project.id}/members/${member.actorId}`);
  expect(await told()).toBe("unavailable unavailable unavailable unavailable unavailable");
});

test("what moves into a private Project is unavailable from then on", async () => {
  const { home, owner, task, document, told } = await gathered();
  const hidden = await newProject(home, { visibility: "private" });
  await changeDocument(owner, document.id, { project_id: hidden.id });
  expect(await told()).toBe("current current current unavailable current");
  const moved = await owner.call("POST", `/tasks/${task.id}/move`, { body: { project_id: hidden.id }, ...any });
  expect(moved.status, moved.text).toBe(200);
  expect(await told()).toBe("unavailable unavailable unavailable unavailable unavailable");
});

test("of an archived Project all is read on; of a deleted one nothing", async () => {
  const { owner, project, told } = await gathered();
  await owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, ...any });
  expect(await told()).toBe("current current current current current");
  const deleted = await owner.call("DELETE", `/projects/${project.id}`, any);
  expect(deleted.status, deleted.text).toBe(204);
  expect(await told()).toBe("unavailable unavailable unavailable unavailable unavailable");
});

test("a file that waits for the scanner, or was found to be harmful, is not read", async () => {
  const { home, member, file, told } = await gathered();
  for (const [state, shown] of [
    ["pending", "unavailable"],
    ["infected", "unavailable"],
    ["failed", "unavailable"],
    ["clean", "current"],
  ] as const) {
    await running.sql("update attachments set scan_state = $2 where id = $1", [file.id, state], home.workspaceId);
    expect((await told()).split(" ").at(-1), state).toBe(shown);
    const captured = await send(member, home, PATH, { sources: [{ kind: "attachment", id: file.id }] });
    expect(captured.status, state).toBe(state === "clean" ? 200 : 404);
  }
});

test("only a browser's session with its CSRF token captures and reads it, and a key is asked for", async () => {
  const { home, member, sources } = await gathered();
  const path = `/workspaces/${home.workspaceId}/${PATH}`;
  const token = await home.token(["svc:read", "svc:write"], member);
  const body = { sources };
  expect((await member.bearer(token, "POST", path, { body, key: newKey() })).body.code).toBe(
    "credential_kind_not_allowed",
  );
  expect((await member.call("POST", path, { body })).body.code).toBe("idempotency_key_required");
  const unproven = await member.call("POST", path, { body, key: newKey(), headers: { "x-csrf-token": "" } });
  expect([unproven.status, unproven.body.code]).toEqual([403, "invalid_csrf_token"]);
});

test("capturing tells nobody: no event, no activity, and no place in the journal", async () => {
  const { home, owner, member, sources } = await gathered();
  const events = async (here: World) =>
    Number(
      (await running.sql<{ count: string }>("select count(*) from domain_events", [], here.workspaceId))[0]?.count,
    );
  const before = await events(home);
  const feed = async () => (await owner.call("GET", `/workspaces/${home.workspaceId}/activity`)).text;
  const told = await feed();
  const captured = await send(member, home, PATH, { sources });
  expect([await events(home), await feed()]).toEqual([before, told]);
  // Its maker finds out what became of the write, and nobody else.
  const command = captured.headers.get("x-svc-command-id");
  const receipt = (person: Person) =>
    person.call("GET", `/workspaces/${home.workspaceId}/operation-receipts/${command}`);
  expect((await receipt(member)).body).toMatchObject({ operation: "captureEvidence", effects: [] });
  expect((await receipt(owner)).status).toBe(404);
});
