// Links between Documents and what they are about, from both ends: who makes them, who sees them, what is refused, and
// how they are undone.
import { expect, test } from "vitest";
import { commandOf, redo, undo } from "../../../../test/commands.ts";
import { any, newDocument } from "../../../../test/documents.ts";
import { eventsOf, newMilestone, newProject, newTask, pages, trashTask } from "../../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();
const at = (document: string, kind: string, target: string) => `/documents/${document}/links/${kind}/${target}`;
const link = (person: Person, document: string, target: string, kind = "task", key?: string) =>
  person.call("POST", at(document, kind, target), key ? { key } : {});
const unlink = (person: Person, document: string, target: string, kind = "task") =>
  person.call("DELETE", at(document, kind, target));
const linksOf = async (person: Person, document: string, query = "") =>
  (await person.call("GET", `/documents/${document}/links${query}`)).body.items;
const documentsOf = async (person: Person, task: string) =>
  (await person.call("GET", `/tasks/${task}/documents`)).body.items.map(({ id }: { id: string }) => id);

/** As the content of a Document names things. */
const name = (home: World, document: string, kind: string, target: string) =>
  running.sql(
    `insert into document_links (workspace_id, document_id, target_kind, target_id, origin, created_by_actor_id)
      values ($1, $2, $3, $4, 'content', $5)`,
    [home.workspaceId, document, kind, target, home.owner.actorId],
    home.workspaceId,
  );

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const [document, task] = [await newDocument(home), await newTask(home.owner, project.id)];
  return { home, owner: home.owner, project, document, task };
}

test("a link is made once, and both ends show it", async () => {
  const { home, owner, project, document, task } = await workshop();
  const milestone = await newMilestone(owner, project.id);
  const made = await link(owner, document.id, task.id);
  expect(made.status).toBe(201);
  expect(made.headers.get("location")).toContain(at(document.id, "task", task.id));
  expect(made.body).toEqual({
    direction: "outgoing",
    target_kind: "task",
    target_id: task.id,
    code: task.code,
    name: task.title,
    origins: ["manual"],
    created_by_actor_id: owner.actorId,
    created_at: expect.any(String),
  });
  expect((await link(owner, document.id, milestone.id, "milestone")).body).toMatchObject({
    target_kind: "milestone",
    code: milestone.code,
    name: milestone.name,
  });
  // Again: the same answer, and nothing is recorded.
  expect((await link(owner, document.id, task.id)).body).toEqual(made.body);
  expect((await linksOf(owner, document.id)).map((each: Record<string, string>) => each.target_kind)).toEqual([
    "milestone",
    "task",
  ]);
  expect(await linksOf(owner, document.id, "?kind=task")).toEqual([made.body]);
  expect(await documentsOf(owner, task.id)).toEqual([document.id]);
  const ofMilestone = await owner.call("GET", `/milestones/${milestone.id}/documents`);
  expect(ofMilestone.body.items[0]).toMatchObject({ id: document.id, path: "handbook", origins: ["manual"] });
  expect((await eventsOf(running, home, document.id)).map(({ type }) => type)).toEqual([
    "document.created",
    "document.link_added",
    "document.link_added",
  ]);
});

test("what the content names is shown at both ends too, once, and goes only with the content", async () => {
  const { home, owner, project, document, task } = await workshop();
  const other = await newDocument(home, { title: "Other" });
  await name(home, document.id, "task", task.id);
  await name(home, document.id, "document", other.id);
  await name(home, document.id, "project", project.id);
  await name(home, document.id, "person", owner.actorId);
  expect(
    (await linksOf(owner, document.id)).map((each: Record<string, string>) => [each.target_kind, each.code]),
  ).toEqual([
    ["document", "other"],
    ["person", expect.any(String)],
    ["project", project.key],
    ["task", task.code],
  ]);
  expect(await linksOf(owner, other.id)).toEqual([
    expect.objectContaining({
      direction: "incoming",
      target_kind: "document",
      target_id: document.id,
      code: "handbook",
    }),
  ]);
  expect(await linksOf(owner, other.id, "?kind=task")).toEqual([]);
  expect((await unlink(owner, document.id, task.id)).body.code).toBe("named_in_content");
  expect((await link(owner, document.id, task.id)).body.origins).toEqual(["manual", "content"]);
  expect((await owner.call("GET", `/tasks/${task.id}/documents`)).body.items).toEqual([
    expect.objectContaining({ id: document.id, origins: ["manual", "content"] }),
  ]);
  expect((await unlink(owner, document.id, task.id)).status).toBe(204);
  expect(await linksOf(owner, document.id, "?kind=task")).toEqual([
    expect.objectContaining({ target_id: task.id, origins: ["content"] }),
  ]);
});

test("a Document that is made with Markdown links from its first revision on, within the budget of a write", async () => {
  const { home, owner, task } = await workshop();
  const { workspaceId } = home;
  const label = await owner.call("POST", `/workspaces/${workspaceId}/label-definitions`, {
    body: { name: "Guide", purpose: "general" },
  });
  const markdown =
    `See [the Task](svc:task/${task.id}) and [it again](svc:task/${task.id}), ` + "not [this](svc:task/NO-1).";
  const made = await owner.call("POST", `/workspaces/${workspaceId}/documents`, {
    body: { title: "Made with links", markdown, label_ids: [label.body.id, label.body.id.toUpperCase()] },
  });
  expect([made.status, made.body.label_ids], made.text).toEqual([201, [label.body.id]]);
  expect(made.trips).toBeLessThanOrEqual(5);
  expect(await linksOf(owner, made.body.id)).toEqual([
    expect.objectContaining({ target_kind: "task", target_id: task.id, origins: ["content"] }),
  ]);
  expect(await documentsOf(owner, task.id)).toEqual([made.body.id]);
  await owner.call("PUT", `/documents/${made.body.id}/markdown`, { body: { markdown: "Nothing" }, ...any });
  expect(await linksOf(owner, made.body.id)).toEqual([]);
});

test("nobody learns of what they do not see, from either end, nor links to it", async () => {
  const { home, owner, document, task } = await workshop();
  const hidden = await newProject(home, { visibility: "private" });
  const [secret, elsewhere] = [
    await newTask(owner, hidden.id),
    await newDocument(home, { title: "Secret", project_id: hidden.id }),
  ];
  const member = await home.member("member");
  for (const [from, to] of [
    [document.id, secret.id],
    [document.id, task.id],
    [elsewhere.id, task.id],
  ] as const)
    expect((await link(owner, from, to)).status).toBe(201);
  await name(home, elsewhere.id, "document", document.id);
  expect(await linksOf(owner, document.id)).toHaveLength(3);
  expect((await linksOf(member, document.id)).map((each: Record<string, string>) => each.target_id)).toEqual([task.id]);
  expect(new Set(await documentsOf(owner, task.id))).toEqual(new Set([document.id, elsewhere.id]));
  expect(await documentsOf(member, task.id)).toEqual([document.id]);
  const headers = { "x-correlation-id": "one-and-the-same" };
  for (const method of ["POST", "DELETE"] as const) {
    const answers = await Promise.all(
      [secret.id, newId()].map((id) => member.call(method, at(document.id, "task", id), { headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  }
  const stranger = (await world(running)).owner;
  expect((await link(stranger, document.id, task.id)).status).toBe(404);
});

test("a link leads to Tasks and Milestones alone, and not to what is in the trash or deleted", async () => {
  const { home, owner, project, document, task } = await workshop();
  const milestone = await newMilestone(owner, project.id);
  for (const kind of ["document", "project", "person", "comment"])
    expect((await link(owner, document.id, task.id, kind)).status, kind).toBe(404);
  expect((await link(owner, document.id, milestone.id)).status).toBe(404);
  await link(owner, document.id, milestone.id, "milestone");
  await link(owner, document.id, task.id);
  await owner.call("DELETE", `/milestones/${milestone.id}`);
  await trashTask(running, home, task.id);
  expect(await linksOf(owner, document.id)).toEqual([]);
  expect((await link(owner, document.id, task.id)).body.code).toBe("task_trashed");
  expect((await link(owner, document.id, milestone.id, "milestone")).status).toBe(404);
  const other = await newDocument(home, { title: "Other" });
  expect((await link(owner, other.id, task.id)).body.code).toBe("task_trashed");
  expect((await unlink(owner, document.id, task.id)).status).toBe(204);
  expect((await unlink(owner, document.id, task.id)).status).toBe(404);
});

test("a Document in the trash is only read, and is in no list of a Task", async () => {
  const { owner, document, task } = await workshop();
  await link(owner, document.id, task.id);
  await owner.call("DELETE", `/documents/${document.id}`);
  expect((await link(owner, document.id, task.id)).body.code).toBe("document_trashed");
  expect((await unlink(owner, document.id, task.id)).body.code).toBe("document_trashed");
  expect(await documentsOf(owner, task.id)).toEqual([]);
  expect(await linksOf(owner, document.id)).toHaveLength(1);
});

test("an archived Project refuses links at either end", async () => {
  const { home, owner, project, document, task } = await workshop();
  const other = await newProject(home);
  const placed = await newDocument(home, { title: "Placed", project_id: project.id });
  const away = await newTask(owner, other.id);
  await link(owner, document.id, task.id);
  await owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, headers: { "if-match": "*" } });
  for (const [from, to] of [
    [placed.id, away.id],
    [document.id, task.id],
  ] as const)
    for (const call of [link, unlink]) {
      const { status, body } = await call(owner, from, to);
      expect([status, body.code]).toEqual([409, "project_archived"]);
    }
});

test("a viewer reads links and makes none; a token and a native client reach none", async () => {
  const { home, document, task } = await workshop();
  const viewer = await home.member("viewer");
  expect((await link(viewer, document.id, task.id)).status).toBe(403);
  expect(await linksOf(viewer, document.id)).toEqual([]);
  const token = await home.token();
  const { body } = await home.owner.bearer(token, "POST", at(document.id, "task", task.id));
  expect(body.code).toBe("credential_kind_not_allowed");
});

test("making and taking back a link are undone and redone, while they are as the command left them", async () => {
  const { home, owner, document, task } = await workshop();
  const made = commandOf(await link(owner, document.id, task.id));
  const undone = await undo(owner, made);
  expect([undone.status, await linksOf(owner, document.id)]).toEqual([200, []]);
  expect((await redo(owner, made)).status).toBe(200);
  expect(await documentsOf(owner, task.id)).toEqual([document.id]);
  const removed = commandOf(await unlink(owner, document.id, task.id));
  await link(owner, document.id, task.id);
  expect((await undo(owner, removed)).body.code).toBe("undo_conflict");
  const again = commandOf(await unlink(owner, document.id, task.id));
  await trashTask(running, home, task.id);
  expect((await undo(owner, again)).body.errors[0].code).toBe("task_trashed");
  await running.sql("update tasks set trashed_at = null where id = $1", [task.id], home.workspaceId);
  expect((await undo(owner, again)).status).toBe(200);
  expect(await documentsOf(owner, task.id)).toEqual([document.id]);
  // Undoing is under today's rights.
  const member = await home.member("member");
  const second = await newDocument(home, { title: "Second" });
  const theirs = commandOf(await link(member, second.id, task.id));
  await running.sql(
    "update projects set visibility = 'private' where workspace_id = $1",
    [home.workspaceId],
    home.workspaceId,
  );
  expect((await undo(member, theirs)).body.errors[0].code).toBe("not_found");
});

test("a retry with the same key makes one link, and twenty at once make one", async () => {
  const { home, owner, document, task } = await workshop();
  const key = newKey();
  const [first, second] = [
    await link(owner, document.id, task.id, "task", key),
    await link(owner, document.id, task.id, "task", key),
  ];
  expect([second.text, second.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
  const other = await newDocument(home, { title: "Other" });
  const answers = await Promise.all(Array.from({ length: 20 }, () => link(owner, other.id, task.id)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect((await eventsOf(running, home, other.id)).filter(({ type }) => type === "document.link_added")).toHaveLength(
    1,
  );
});

test("a Document has 500 links that somebody made, and not one more", async () => {
  const { home, owner, document, task, project } = await workshop();
  const fill = `insert into document_links (workspace_id, document_id, target_kind, target_id, origin,
    created_by_actor_id)
    select $1, $2, 'milestone', gen_random_uuid(), 'manual', $3 from generate_series(1, 499)`;
  await running.sql(fill, [home.workspaceId, document.id, owner.actorId], home.workspaceId);
  expect((await link(owner, document.id, task.id)).status).toBe(201);
  const next = await newTask(owner, project.id);
  expect((await link(owner, document.id, next.id)).body.code).toBe("limit_reached");
  // And what leads nowhere any more is passed over, however much it is.
  expect((await linksOf(owner, document.id)).map((each: Record<string, string>) => each.target_id)).toEqual([task.id]);
});

test("links are listed page by page, each once, also where both origins have it", async () => {
  const { home, owner, project, document } = await workshop();
  const tasks = [];
  for (let n = 0; n < 5; n++) tasks.push(await newTask(owner, project.id));
  for (const task of tasks) {
    await link(owner, document.id, task.id);
    await name(home, document.id, "task", task.id);
  }
  const others = [];
  for (let n = 0; n < 3; n++) {
    const other = await newDocument(home, { title: `Other ${n}` });
    await name(home, other.id, "document", document.id);
    await link(owner, other.id, tasks[0].id);
    others.push(other.id);
  }
  const { items } = await pages(owner, `/documents/${document.id}/links`, 2);
  expect(items.map((each) => each.target_id)).toEqual([...tasks.map(({ id }) => id), ...others]);
  const back = await pages(owner, `/tasks/${tasks[0].id}/documents`, 1);
  expect(back.items.map((each) => each.id)).toEqual([...others.toReversed(), document.id]);
  expect((await owner.call("GET", `/documents/${document.id}/links?kind=comment`)).body.code).toBe("invalid_request");
});

const rowsTo = (home: World, id: string) =>
  running.sql("select origin from document_links where target_id = $1 order by origin", [id], home.workspaceId);

test("links to a Task or a Document that is deleted for ever go with it, however they came, and stay while it is in the trash", async () => {
  const { home, owner, project, document, task } = await workshop();
  const named = await newDocument(home, { title: "Named" });
  const markdown = `[x](svc:task/${task.id}) [y](svc:document/${named.id})`;
  const written = await owner.call("PUT", `/documents/${document.id}/markdown`, { body: { markdown }, ...any });
  expect(written.status, written.text).toBe(200);
  await link(owner, document.id, task.id);
  const kept = await newTask(owner, project.id);
  await link(owner, document.id, kept.id);
  await trashTask(running, home, task.id);
  await owner.call("DELETE", `/documents/${named.id}`);
  expect([await rowsTo(home, task.id), await rowsTo(home, named.id)]).toEqual([
    [{ origin: "content" }, { origin: "manual" }],
    [{ origin: "content" }],
  ]);
  expect((await owner.call("DELETE", `/tasks/${task.id}`)).status).toBe(204);
  expect((await owner.call("DELETE", `/documents/${named.id}/permanent`)).status).toBe(204);
  expect([await rowsTo(home, task.id), await rowsTo(home, named.id)]).toEqual([[], []]);
  expect((await linksOf(owner, document.id)).map((each: Record<string, string>) => each.target_id)).toEqual([kept.id]);
  // What the content said stays said, and links to nothing, also when it is said once more.
  await owner.call("PUT", `/documents/${document.id}/markdown`, { body: { markdown: "Other" }, ...any });
  expect((await owner.call("POST", `/documents/${document.id}/revisions/2/restore`, any)).status).toBe(200);
  expect([await rowsTo(home, task.id), await rowsTo(home, named.id)]).toEqual([[], []]);
  expect((await owner.call("GET", `/documents/${document.id}/markdown`)).body.markdown).toContain(task.id);
});

test("a content that is written anew and names a Task that was deleted for ever says its label as text, in either form, and links to nothing", async () => {
  const { home, owner, project, document, task } = await workshop();
  const kept = await newTask(owner, project.id);
  const mention = (id: string, label: string) => ({ type: "mention", attrs: { kind: "task", id, label } });
  const naming = {
    type: "doc",
    content: [{ type: "paragraph", content: [mention(task.id, "Gone"), mention(kept.id, "Here")] }],
  };
  const put = (form: string, value: unknown) =>
    owner.call("PUT", `/documents/${document.id}/${form}`, { body: { [form]: value }, ...any });
  const linked = async () =>
    (await linksOf(owner, document.id)).map((each: Record<string, string>) => each.target_id).sort();
  const whole = `[Gone](svc:task/${task.id})[Here](svc:task/${kept.id})`;
  const left = `Gone[Here](svc:task/${kept.id})`;
  const markdown = async () => (await owner.call("GET", `/documents/${document.id}/markdown`)).body.markdown;
  expect((await put("content", naming)).status).toBe(200);
  expect([await markdown(), await linked()]).toEqual([whole, [task.id, kept.id].sort()]);
  // In the trash it can come back: what was said stays said.
  await trashTask(running, home, task.id);
  await put("markdown", `${whole} and more`);
  expect([await markdown(), await rowsTo(home, task.id)]).toEqual([`${whole} and more`, [{ origin: "content" }]]);
  expect((await owner.call("DELETE", `/tasks/${task.id}`)).status).toBe(204);
  for (const [form, value] of [
    ["content", naming],
    ["markdown", whole],
    ["markdown", `[Gone](svc:task/${task.code})[Here](svc:task/${kept.code})`],
  ] as const) {
    await put("markdown", "Nothing");
    const written = await put(form, value);
    expect([written.status, await markdown(), await linked()], form).toEqual([200, left, [kept.id]]);
    expect(await rowsTo(home, task.id)).toEqual([]);
  }
});

test("a Milestone that is deleted takes no room among the links that somebody made, and brings them back beyond the bound", async () => {
  const { home, owner, document, task, project } = await workshop();
  const milestone = await newMilestone(owner, project.id);
  const fill = `insert into document_links (workspace_id, document_id, target_kind, target_id, origin,
    created_by_actor_id)
    select $1, $2, 'milestone', gen_random_uuid(), 'manual', $3 from generate_series(1, 499)`;
  await running.sql(fill, [home.workspaceId, document.id, owner.actorId], home.workspaceId);
  expect((await link(owner, document.id, milestone.id, "milestone")).status).toBe(201);
  expect((await link(owner, document.id, task.id)).body.code).toBe("limit_reached");
  const deleted = commandOf(await owner.call("DELETE", `/milestones/${milestone.id}`));
  // Nobody sees the link, nor can take it back.
  expect((await unlink(owner, document.id, milestone.id, "milestone")).status).toBe(404);
  expect((await link(owner, document.id, task.id)).status).toBe(201);
  expect((await undo(owner, deleted)).status).toBe(200);
  const kinds = (await linksOf(owner, document.id)).map((each: Record<string, string>) => each.target_kind);
  expect(kinds).toEqual(["milestone", "task"]);
  const next = await newTask(owner, project.id);
  expect((await link(owner, document.id, next.id)).body.code).toBe("limit_reached");
  expect((await unlink(owner, document.id, task.id)).status).toBe(204);
  expect((await link(owner, document.id, next.id)).body.code).toBe("limit_reached");
});

test("a Task that is deleted for ever takes no room among the links that somebody made", async () => {
  const { home, owner, document, task, project } = await workshop();
  const fill = `insert into document_links (workspace_id, document_id, target_kind, target_id, origin,
    created_by_actor_id)
    select $1, $2, 'milestone', gen_random_uuid(), 'manual', $3 from generate_series(1, 499)`;
  await running.sql(fill, [home.workspaceId, document.id, owner.actorId], home.workspaceId);
  const next = await newTask(owner, project.id);
  expect((await link(owner, document.id, task.id)).status).toBe(201);
  expect((await link(owner, document.id, next.id)).body.code).toBe("limit_reached");
  await trashTask(running, home, task.id);
  expect((await owner.call("DELETE", `/tasks/${task.id}`)).status).toBe(204);
  expect((await link(owner, document.id, next.id)).status).toBe(201);
});
