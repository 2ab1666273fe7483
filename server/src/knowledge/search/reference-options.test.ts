// The choices of a picker: every kind, by what people call it, in a fair order, and nothing that the caller does not
// see.
import { expect, test } from "vitest";
import { changeDocument, newDocument } from "../../../test/documents.ts";
import { newMilestone, newProject, newTask, trashTask } from "../../../test/work.ts";
import { insertCredential, type Person, service, type World, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";

const running = service();
// biome-ignore lint/suspicious/noExplicitAny: shapes are held against the contract.
type Options = any[];
const offered = async (home: World, query: string, person: Person = home.owner): Promise<Options> => {
  const { status, body, trips, text } = await person.call(
    "GET",
    `/workspaces/${home.workspaceId}/reference-options?${query}`,
  );
  expect([status, trips <= 2], text).toEqual([200, true]);
  return body.items;
};
const codes = async (home: World, query: string, person?: Person) =>
  (await offered(home, query, person)).map(({ code }) => code);
const rename = (person: Person, username: string, name: string) =>
  running.sql("update users set username = $2, display_name = $3 where id = $1", [person.userId, username, name]);

async function harbour() {
  const home = await world(running);
  const project = await newProject(home, { name: "Harbour works" });
  return { home, owner: home.owner, project };
}

test("every kind is offered by what people call it, and the first of each stands before the second of any", async () => {
  const { home, owner, project } = await harbour();
  const ada = await home.member("member");
  const username = `harb-${ada.userId.slice(-12)}`;
  await rename(ada, username, "Harbour Master");
  const task = await newTask(owner, project.id, { title: "Harbour lights" });
  const second = await newTask(owner, project.id, { title: "Harbour walls" });
  const document = await newDocument(home, { title: "Harbour rules" });
  const milestone = await newMilestone(owner, project.id, { name: "Harbour opened" });
  const found = await offered(home, "q=harbour");
  expect(found).toHaveLength(6);
  expect(new Set(found.slice(0, 5).map(({ kind }) => kind))).toEqual(
    new Set(["person", "task", "document", "project", "milestone"]),
  );
  expect(found).toEqual(
    expect.arrayContaining([
      { kind: "person", id: ada.actorId, code: username, name: "Harbour Master", project_id: null, picture_url: null },
      { kind: "task", id: task.id, code: task.code, name: task.title, project_id: project.id, picture_url: null },
      {
        kind: "document",
        id: document.id,
        code: "harbour-rules",
        name: "Harbour rules",
        project_id: null,
        picture_url: null,
      },
      {
        kind: "project",
        id: project.id,
        code: project.key,
        name: "Harbour works",
        project_id: project.id,
        picture_url: null,
      },
      {
        kind: "milestone",
        id: milestone.id,
        code: milestone.code,
        name: "Harbour opened",
        project_id: project.id,
        picture_url: null,
      },
    ]),
  );
  expect(await codes(home, "q=harbour&kinds=task")).toEqual(expect.arrayContaining([task.code, second.code]));
  expect((await offered(home, "q=harbour&kinds=person,milestone")).map(({ kind }) => kind).sort()).toEqual([
    "milestone",
    "person",
  ]);
  expect(await offered(home, "q=harbour&limit=1")).toHaveLength(1);
});

test("a Task is offered by its code, and by the beginning of one; so is a Milestone", async () => {
  const { home, owner, project } = await harbour();
  const tasks = [];
  for (let n = 0; n < 12; n++) tasks.push(await newTask(owner, project.id, { title: `Post ${n}` }));
  const milestone = await newMilestone(owner, project.id);
  const { key } = project;
  expect(await codes(home, `q=${key.toLowerCase()}-1&kinds=task`)).toEqual([
    `${key}-1`,
    `${key}-12`,
    `${key}-11`,
    `${key}-10`,
  ]);
  expect((await codes(home, `q=${key}-&kinds=task`))[0]).toBe(`${key}-12`);
  expect(await codes(home, `q=${milestone.code}`)).toEqual([milestone.code]);
  expect(await codes(home, `q=${key}-m&kinds=milestone`)).toEqual([milestone.code]);
  await trashTask(running, home, tasks[10].id);
  expect(await codes(home, `q=${key}-1&kinds=task`)).toEqual([`${key}-1`, `${key}-12`, `${key}-10`]);
  expect(await codes(home, `q=${key}-${"9".repeat(15)}`)).toEqual([]);
  expect(await codes(home, "q=NOSUCH-1")).toEqual([]);
});

test("without a word it offers what is near", async () => {
  const { home, owner, project } = await harbour();
  const own = await newTask(owner, project.id, { assignee_actor_id: owner.actorId });
  await newTask(owner, project.id);
  const document = await newDocument(home);
  const old = await newDocument(home, { title: "Old" });
  await changeDocument(owner, old.id, { archived: true });
  const milestone = await newMilestone(owner, project.id);
  const found = await offered(home, "");
  expect(found.map(({ kind }) => kind)).toEqual(["person", "task", "document", "project", "milestone"]);
  expect(found.map(({ id }) => id)).toEqual([owner.actorId, own.id, document.id, project.id, milestone.id]);
  expect(await offered(home, "q=%40")).toEqual(found);
});

test("without a word it offers the Tasks of the caller that changed last", async () => {
  const { home, owner, project } = await harbour();
  const made = [];
  for (const title of ["first", "second", "third"])
    made.push(await newTask(owner, project.id, { title, assignee_actor_id: owner.actorId }));
  const [first, , third] = made.map(({ code }) => code);
  const changes = { body: { priority: "high" }, headers: { "if-match": "*" } };
  expect((await owner.call("PATCH", `/tasks/${made[0]?.id}`, changes)).status).toBe(200);
  expect(await codes(home, "kinds=task&limit=2")).toEqual([first, third]);
});

test("without a word it offers the Documents that changed last", async () => {
  const { home, owner } = await harbour();
  const made = [];
  for (const title of ["First", "Second", "Third"]) made.push(await newDocument(home, { title }));
  const [first, , third] = made.map(({ id }) => id);
  expect((await changeDocument(owner, first as string, { title: "Changed" })).status).toBe(200);
  expect((await offered(home, "kinds=document&limit=2")).map(({ id }) => id)).toEqual([first, third]);
});

test("nothing is offered that the caller does not see, nor who left", async () => {
  const { home, owner } = await harbour();
  const hidden = await newProject(home, { name: "Harbour secrets", visibility: "private" });
  await newTask(owner, hidden.id, { title: "Harbour secrets" });
  await newDocument(home, { title: "Harbour secrets", project_id: hidden.id });
  await newMilestone(owner, hidden.id, { name: "Harbour secrets" });
  const [member, gone] = [await home.member("member"), await home.member("member")];
  await rename(gone, `secrets-${gone.userId.slice(-12)}`, "Secrets");
  expect((await offered(home, "q=secrets")).length).toBe(5);
  await running.sql("update memberships set state = 'removed' where user_id = $1", [gone.userId], home.workspaceId);
  expect(await offered(home, "q=secrets", member)).toEqual([]);
  expect(await offered(home, `q=${hidden.key}-1`, member)).toEqual([]);
  // The beginning of a code is looked up by another statement than a whole code.
  expect(await codes(home, `q=${hidden.key}-&kinds=task`)).toEqual([`${hidden.key}-1`]);
  expect(await offered(home, `q=${hidden.key}-`, member)).toEqual([]);
  expect(await offered(home, `q=${hidden.key}-M1`, member)).toEqual([]);
  expect(await offered(home, `q=${hidden.key}`, member)).toEqual([]);
  expect((await offered(home, "", member)).map(({ kind }) => kind).sort()).toEqual(["person", "person", "project"]);
  const stranger = (await world(running)).owner;
  const answer = await stranger.call("GET", `/workspaces/${home.workspaceId}/reference-options`);
  expect(answer.status).toBe(404);
});

test("tokens, developer clients and native clients ask too; unknown kinds and limits are refused", async () => {
  const { home, owner, project } = await harbour();
  const path = `/workspaces/${home.workspaceId}/reference-options?q=harbour`;
  const secrets = [await home.token(["svc:read"]), newSecret("dat"), newSecret("nat")] as const;
  await insertCredential(running, "developer", secrets[1], owner.userId, home.workspaceId, ["svc:read"]);
  await insertCredential(running, "native", secrets[2], owner.userId, null, []);
  for (const secret of secrets) expect((await owner.bearer(secret, "GET", path)).body.items[0].id).toBe(project.id);
  for (const query of ["kinds=comment", "kinds=", "kinds=task,,person", "limit=0", "limit=51", `q=${"x".repeat(201)}`])
    expect((await owner.call("GET", `${path.split("?")[0]}?${query}`)).body.code, query).toBe("invalid_request");
  // Nothing that was typed is a pattern.
  for (const q of ["%", "_", "\\", "'", "*", "("])
    expect(await offered(home, `q=${encodeURIComponent(q)}`), q).toEqual([]);
});
