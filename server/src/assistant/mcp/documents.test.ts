// Documents that an MCP client creates: where they stand, who may, and how a person finds them.
import { expect, test } from "vitest";
import { newDocument } from "../../../test/documents.ts";
import {
  callTool,
  documentIn,
  mcpToken,
  serviceToken,
  taskByCode,
  toolNames,
  toolWorkshop,
} from "../../../test/mcp.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { newKey, service } from "../../../test/world.ts";

const running = service();
const workshop = () => toolWorkshop(running);

test("a client creates a Document of the Workspace, of a Project and below another, and a person finds it at its address", async () => {
  const { place, project, use } = await workshop();
  const { slug } = (await place.owner.call("GET", `/workspaces/${place.workspaceId}`)).body;
  const handbook = await use("create_document", { title: "Handbook", markdown: "# Rules\n\nUse **brass**." });
  expect(handbook).toMatchObject({ path: "handbook", link: "svc://document/handbook", command: expect.any(String) });
  const [, id] = new RegExp(`^${running.url}/workspaces/${slug}/documents/(.+)$`).exec(handbook.url) ?? [];
  expect((await place.owner.call("GET", `/documents/${id}`)).body).toMatchObject({
    title: "Handbook",
    project_id: null,
    published_at: null,
  });
  expect(await use("get_document", { path: "handbook" })).toMatchObject({
    markdown: "# Rules\n\nUse **brass**.",
    url: handbook.url,
    content_revision: handbook.content_revision,
  });
  const plan = await use("create_document", { project: project.key, title: "Plan" });
  expect((await use("get_document", { path: plan.path })).project).toBe(project.key);
  const below = await use("create_document", { title: "Week 1", below: plan.path });
  expect(below.path).toBe(`${plan.path}/week-1`);
  expect((await use("get_document", { path: below.path })).project).toBe(project.key);
  expect((await use("undo", { command: below.command })).operation).toBe("undoOperation");
});

test("a parent of another Project, an unknown parent and a text past the limit are refused", async () => {
  const { place, project, use } = await workshop();
  await documentIn(place, { title: "Handbook" });
  for (const [args, told] of [
    [{ project: project.key, title: "x", below: "handbook" }, "below must be a Document of that Project"],
    [{ title: "x", below: "nowhere" }, "list_documents names those at the top. [not_found]"],
    [{ project: "NOPE", title: "x" }, "list_projects names those that you can see. [not_found]"],
    [{ title: "x", markdown: "a".repeat(262_145) }, "markdown must NOT have more than 262144 characters"],
    [{ title: "" }, "title must NOT have fewer than 1 characters"],
  ] as const)
    expect((await use("create_document", args)).refused, JSON.stringify(args).slice(0, 80)).toContain(told);
  expect((await use("create_document", { title: "x", markdown: "a".repeat(262_144) })).path).toBe("x");
});

test("an equal call repeats, and a Document that was trashed since is created again", async () => {
  const { place, use } = await workshop();
  const args = { title: "Notes", markdown: "Once." };
  const first = await use("create_document", args);
  const again = await use("create_document", args);
  expect([again.repeated, again.path, again.command]).toEqual([true, first.path, first.command]);
  const path = `/documents/${first.url.split("/").at(-1)}`;
  const { revision } = (await place.owner.call("GET", path)).body;
  const trashed = await place.owner.call("DELETE", path, { ifMatch: revision });
  expect(trashed.status, trashed.text).toBeLessThan(300);
  const second = await use("create_document", args);
  expect([second.repeated, second.url === first.url]).toEqual([undefined, false]);
});

test("an equal call does not show a Document that was trashed since, when another one has its path", async () => {
  const { place } = await workshop();
  const token = await mcpToken(running, place, "svc:documents:write");
  const create = () => callTool(running, token, "create_document", { title: "Notes" });
  const first = await create();
  const path = `/documents/${first.url.split("/").at(-1)}`;
  await place.owner.call("DELETE", path, { ifMatch: "1" });
  const other = await newDocument(place, { title: "Notes" });
  expect(other.path).toBe(first.path);
  const second = await create();
  expect([second.repeated, second.path === other.path]).toEqual([undefined, false]);
  expect((await create()).repeated).toBe(true);
});

test("the scope of Documents opens it, reading does not, and a viewer is refused", async () => {
  const { place, project } = await workshop();
  const writer = await mcpToken(running, place, "svc:documents:write");
  expect(await toolNames(running, writer)).toContain("create_document");
  expect((await callTool(running, writer, "create_document", { title: "By scope" })).path).toBe("by-scope");
  expect(await toolNames(running, await mcpToken(running, place, "svc:documents:read"))).not.toContain(
    "create_document",
  );
  const viewer = await place.member("viewer");
  const token = await mcpToken(running, place, "svc:write", viewer);
  const args = { project: project.key, title: "No" };
  expect((await callTool(running, token, "create_document", args)).refused).toContain("[forbidden]");
});

test("a service that is narrowed to a Project creates Documents there, and none of the Workspace", async () => {
  const { place, project } = await workshop();
  const other = await newProject(place);
  const { token } = await serviceToken(place, ["svc:documents:write", "svc:documents:read"], [project.id]);
  const use = (args: object) => callTool(running, token, "create_document", args);
  const made = await use({ project: project.key, title: "Nightly" });
  expect(made.path).toBe("nightly");
  expect((await callTool(running, token, "get_document", { path: made.path })).title).toBe("Nightly");
  expect((await use({ title: "Outside" })).refused).toContain("[invalid_reference]");
  expect((await use({ project: other.key, title: "Outside" })).refused).toContain("[not_found]");
  const { items } = (await place.owner.call("GET", `/workspaces/${place.workspaceId}/documents`)).body;
  expect(items.map(({ title }: { title: string }) => title)).not.toContain("Outside");
  const wide = await serviceToken(place, ["svc:documents:write"]);
  expect((await callTool(running, wide.token, "create_document", { title: "Of all" })).path).toBe("of-all");
});

test("references in a text are listed with their web address, and only those that the reader sees", async () => {
  const { place, project, task, use } = await workshop();
  const hidden = await newProject(place, { visibility: "private" });
  const secret = await newTask(place.owner, hidden.id, { title: "Hidden gears" });
  const markdown = `See [${task.code}](svc:task/${task.id}) and [it](svc:task/${secret.id}).`;
  const made = await use("create_document", { title: "Notes", markdown });
  const comment = { body: { markdown }, key: newKey() };
  expect((await place.owner.call("POST", `/tasks/${task.id}/comments`, comment)).status).toBe(201);
  const { url } = await use("get_task", { code: task.code });
  const reference = { link: `svc:task/${task.id}`, title: task.title, url };
  expect(url).toContain(`/tasks/${task.code}`);
  const member = await place.member("member");
  const token = await mcpToken(running, place, "svc:read", member);
  const { token: robot } = await serviceToken(place, ["svc:read"], [project.id]);
  for (const each of [token, robot])
    expect((await callTool(running, each, "get_task", { code: task.code })).references).toEqual([reference]);
  expect((await callTool(running, token, "get_document", { path: made.path })).references).toEqual([reference]);
  expect((await use("get_document", { path: made.path })).references).toHaveLength(2);
  expect((await taskByCode(place, task.code)).id).toBe(task.id);
});
