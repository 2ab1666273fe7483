// References to the work: each under what the caller sees at this moment, and nothing is told of what they do not see.
import { expect, test } from "vitest";
import { newAttached, newAttachment } from "../../../test/attachments.ts";
import { newDocument } from "../../../test/documents.ts";
import { newComment, newMilestone, newProject, newTask, trashTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
type Reference = { kind: string; id: string };
const ask = ({ workspaceId }: World, person: Person, references: unknown, more = {}) =>
  person.call("POST", `/workspaces/${workspaceId}/discuss/references/resolve`, { body: { references }, ...more });
async function resolve(home: World, person: Person, references: Reference[]) {
  const answer = await ask(home, person, references);
  expect([answer.status, answer.trips <= 3, answer.headers.get("cache-control")], answer.text).toEqual([
    200,
    true,
    "no-store",
  ]);
  return answer.body.items;
}
const unavailable = ({ kind, id }: Reference) => ({ kind, id, state: "unavailable", title: null, url: null });

async function workshop(visibility: string) {
  const home = await world(running);
  const { owner } = home;
  const project = await newProject(home, { name: "Gears", visibility });
  const task = await newTask(owner, project.id, { title: "Polish" });
  const milestone = await newMilestone(owner, project.id, { name: "Shining" });
  const comment = await newComment(owner, task.id, "With **brass**");
  const document = await newDocument(home, { title: "How", project_id: project.id });
  const file = await newAttached(owner, `/tasks/${task.id}`);
  const [{ slug }] = (await running.sql<{ slug: string }>("select slug from workspaces where id = $1", [
    home.workspaceId,
  ])) as [{ slug: string }];
  const [at, taskUrl] = [`/workspaces/${slug}`, `/workspaces/${slug}/tasks/${task.code}`];
  const shown = [
    { kind: "project", id: project.id, title: "Gears", url: `${at}/projects/${project.key}` },
    { kind: "task", id: task.id, title: "Polish", url: taskUrl },
    { kind: "milestone", id: milestone.id, title: "Shining", url: `${at}/projects/${project.key}` },
    { kind: "comment", id: comment.id, title: "With brass", url: taskUrl },
    { kind: "document", id: document.id, title: "How", url: `${at}/documents/${document.id}` },
    { kind: "attachment", id: file.id, title: "notes.txt", url: taskUrl },
  ].map((item) => ({ ...item, state: "available" }));
  const references = shown.map(({ kind, id }) => ({ kind, id }));
  return { home, owner, project, task, shown, references };
}

test("every kind leads to its title and its page, in the order in which they were sent", async () => {
  const { home, owner, shown, references } = await workshop("workspace");
  expect(await resolve(home, owner, references)).toEqual(shown);
  expect(await resolve(home, await home.member("viewer"), references.toReversed())).toEqual(shown.toReversed());
  const own = await newAttachment(owner);
  const loose = { kind: "attachment", id: own.id };
  expect(await resolve(home, owner, [loose])).toEqual([
    { ...loose, state: "available", title: own.filename, url: null },
  ]);
  expect(await resolve(home, await home.member("admin"), [loose])).toEqual([unavailable(loose)]);
});

test("what is hidden, in another Workspace, of another kind or not there is alike", async () => {
  const { home, references } = await workshop("private");
  const [elsewhere, member] = [await workshop("workspace"), await home.member("member")];
  const missing = references.map(({ kind }) => ({ kind, id: newId() }));
  const others = references.map(({ kind }, at) => ({ kind, id: references.at(at - 1)?.id as string }));
  for (const some of [references, missing, others, elsewhere.references])
    expect(await resolve(home, member, some)).toEqual(some.map(unavailable));
});

test("what is thrown away leads nowhere, and a right that was taken counts at once", async () => {
  const { home, owner, project, task, references, shown } = await workshop("workspace");
  const member = await home.member("member");
  expect(await resolve(home, member, references)).toEqual(shown);
  const key = newKey();
  await ask(home, member, references, { key });
  const { revision } = (await owner.call("GET", `/projects/${project.id}`)).body;
  const hidden = await owner.call("PATCH", `/projects/${project.id}`, {
    body: { visibility: "private" },
    ifMatch: revision,
  });
  expect(hidden.status, hidden.text).toBe(200);
  expect(await resolve(home, member, references)).toEqual(references.map(unavailable));
  // A key brings no earlier answer back.
  expect((await ask(home, member, references, { key })).body.items).toEqual(references.map(unavailable));
  await trashTask(running, home, task.id);
  const left = (await resolve(home, owner, references)).filter(({ state }: { state: string }) => state === "available");
  expect(left.map(({ kind }: Reference) => kind)).toEqual(["project", "milestone", "document"]);
});

test("there are 1 to 20 of them, of known kinds", async () => {
  const { home, owner, references } = await workshop("workspace");
  const [one] = references as [Reference];
  expect(await resolve(home, owner, Array(20).fill(one))).toHaveLength(20);
  for (const [sent, pointer] of [
    [[], "/body/references"],
    [Array(21).fill(one), "/body/references"],
    [[{ kind: "secret", id: one.id }], "/body/references/0/kind"],
    [[{ kind: "task", id: "ENG-1" }], "/body/references/0/id"],
  ] as const)
    expect((await ask(home, owner, sent)).body.errors[0].pointer).toBe(pointer);
});
