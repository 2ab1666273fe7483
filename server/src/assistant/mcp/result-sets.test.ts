// Result sets through the tools: what a list found is kept at its revisions, read again as it is now, asked anew on
// demand, and proposed on as a whole. A service, which has no person, has none of it.
import { expect, test } from "vitest";
import { reviewed } from "../../../test/changes.ts";
import { callTool, mcpToken, sendMcp, serviceToken, taskByCode, toolWorkshop } from "../../../test/mcp.ts";
import { joinProject, newProject, newTask } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
type Row = Record<string, unknown>;

async function workshop(titles: readonly string[]) {
  const made = await toolWorkshop(running);
  const { place, project } = made;
  const tasks = [];
  for (const title of titles) tasks.push(await newTask(place.owner, project.id, { title, priority: "high" }));
  const change = ({ id }: { id: string }, body: object) =>
    place.owner.call("PATCH", `/tasks/${id}`, { body, headers: { "if-match": "*" } });
  return { ...made, tasks, change, high: { project: project.key, priority: ["high"] } };
}
const refOf = ({ result_set }: { result_set: Row }) => ({ id: result_set.id, version: result_set.version });

test("a saved list keeps what it found: later calls show each Task as it is now and say what changed; asked anew it is the next version", async () => {
  const { place, project, tasks, change, high, use } = await workshop(["One", "Two", "Three"]);
  const saved = await use("list_tasks", { ...high, sort: "title", save: true, limit: 2 });
  expect(saved).toMatchObject({
    content_trust: "untrusted",
    result_set: { id: expect.any(String), version: 1, count: 3, complete: true, expires_at: expect.any(String) },
    next_cursor: "2",
    more: "1 more: call again with this result_set and cursor set to next_cursor.",
  });
  expect(saved.items.map(({ title }: Row) => title)).toEqual(["One", "Three"]);
  expect(saved.items[0]).toMatchObject({ code: tasks[0]?.code, status: "Todo", priority: "high", revision: "1" });
  expect(JSON.stringify(saved.items)).not.toContain(tasks[0]?.id as string);
  await change(tasks[1] as { id: string }, { priority: "low", assignee_actor_id: place.owner.actorId });
  await newTask(place.owner, project.id, { title: "Four", priority: "high" });
  const result_set = refOf(saved);
  const rest = await use("list_tasks", { result_set, cursor: saved.next_cursor });
  expect(rest.items).toMatchObject([{ title: "Two", priority: "low", assignee: place.owner.userId, state: "changed" }]);
  expect([rest.result_set, rest.next_cursor]).toEqual([result_set, undefined]);
  const anew = await use("list_tasks", { result_set, save: true });
  expect([refOf(anew), anew.items.map(({ title }: Row) => title)]).toEqual([
    { id: result_set.id, version: 2 },
    ["Four", "One", "Three"],
  ]);
  expect((await use("list_tasks", { result_set })).items, "the exact version stays").toHaveLength(3);
  expect((await use("list_tasks", { result_set, save: true })).refused).toContain("[revision_conflict]");
});

test("what is refused says what to leave out, and nothing is saved", async () => {
  const { high, use } = await workshop(["One"]);
  const result_set = refOf(await use("list_tasks", { ...high, save: true }));
  for (const [args, said] of [
    [{ result_set, priority: ["low"] }, "priority is a filter: a result set keeps its own, so leave it out"],
    [{ ...high, save: true, cursor: "20" }, "cursor goes with what was saved"],
    [{ result_set, cursor: "junk" }, "cursor must be next_cursor of the last answer"],
    [{ result_set: { ...result_set, version: 2 } }, "[not_found]"],
    [{ result_set: { id: newId(), version: 1 } }, "[not_found]"],
    [{ save: true, status: "Todo" }, "status needs a project beside it"],
  ] as const)
    expect((await use("list_tasks", args)).refused, JSON.stringify(args)).toContain(said);
});

test("it is its person's alone, under what they may see now", async () => {
  const { place, use } = await workshop([]);
  const hidden = await newProject(place, { visibility: "private" });
  await newTask(place.owner, hidden.id, { title: "Hidden gears", priority: "high" });
  const ada = await place.member("member");
  await joinProject(place, hidden.id, ada, "member");
  const token = await mcpToken(running, place, "svc:read", ada);
  const theirs = (args: object) => callTool(running, token, "list_tasks", args);
  const saved = await theirs({ project: hidden.key, save: true });
  expect(saved.items).toMatchObject([{ title: "Hidden gears" }]);
  const result_set = refOf(saved);
  expect((await use("list_tasks", { result_set })).refused, "the owner does not find it").toContain("[not_found]");
  await place.owner.call("DELETE", `/projects/${hidden.id}/members/${ada.actorId}`);
  const blind = await theirs({ result_set });
  expect([blind.items, JSON.stringify(blind).includes("Hidden")]).toEqual([[{ state: "unavailable" }], false]);
});

test("a service is shown no such argument, and is refused it", async () => {
  const { place } = await workshop(["One"]);
  const { token } = await serviceToken(place, ["svc:read", "svc:write"]);
  const { message } = await sendMcp(running, token, "tools/list");
  const listed = message.result.tools.find(({ name }: Row) => name === "list_tasks");
  expect(Object.keys(listed.inputSchema.properties)).toContain("priority");
  expect(JSON.stringify(listed.inputSchema)).not.toMatch(/save|result_set/);
  for (const args of [{ save: true }, { result_set: { id: newId(), version: 1 } }])
    expect((await callTool(running, token, "list_tasks", args)).refused).toContain(
      "must NOT have additional properties",
    );
  const kept = await running.sql("select from task_result_sets", [], place.workspaceId);
  expect(kept).toEqual([]);
});

test("a proposal on it is a change for each Task, at the revision that was captured: what moved since makes it stale", async () => {
  const { place, tasks, change, high, use } = await workshop(["One", "Two"]);
  const result_set = refOf(await use("list_tasks", { ...high, save: true }));
  const changes = [
    { action: "update", result_set, set: { priority: "low", status: "In Progress" } },
    { action: "comment", result_set, markdown: "Slowed down." },
  ];
  const proposed = await use("propose_changes", { title: "Slow down", changes });
  expect(proposed.changes.map(({ action }: Row) => action)).toEqual([
    ...["task.update", "task.update", "comment.create", "comment.create"],
  ]);
  await reviewed(place.owner, place, proposed);
  const { id, version, digest } = proposed;
  expect((await use("apply_change_set", { id, version, digest })).state).toBe("applied");
  for (const { code } of tasks) expect(await taskByCode(place, code)).toMatchObject({ priority: "low", revision: "2" });
  const stale = await use("propose_changes", { title: "Again", changes: [{ action: "trash", result_set }] });
  expect([stale.state, stale.more]).toEqual(["stale", expect.stringContaining("Read again what moved")]);
  await change(tasks[0] as { id: string }, { title: "Uno" });
  expect((await taskByCode(place, tasks[0]?.code as string)).trashed_at).toBeNull();
});

test("a proposal on it says what does not fit: more than 100 Tasks, Tasks that are gone, or what is about none", async () => {
  const { place, project, tasks, high, use } = await workshop(["One"]);
  const one = (change: object) => use("propose_changes", { title: "One", changes: [change] });
  const result_set = refOf(await use("list_tasks", { ...high, save: true }));
  for (const [change, said] of [
    [{ action: "trash", result_set, revision: "1" }, "changes.0.revision is that of each Task of result_set"],
    [
      { action: "create", result_set, project: project.key, set: { title: "New" } },
      "result_set goes with what is done",
    ],
    [{ action: "trash", result_set: { id: newId(), version: 1 } }, "[not_found]"],
  ] as const)
    expect((await one(change)).refused, JSON.stringify(change)).toContain(said);
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
     select workspace_id, gen_random_uuid(), project_id, 1000 + n, 'Many', status_id, n, created_by_actor_id
     from tasks, generate_series(1, 101) n where id = $1`,
    [tasks[0]?.id],
    place.workspaceId,
  );
  const many = refOf(await use("list_tasks", { project: project.key, title: "Many", save: true }));
  expect((await one({ action: "trash", result_set: many })).refused).toContain(
    "has 101 Tasks, and a proposal at most 100",
  );
  await place.owner.call("POST", `/tasks/${tasks[0]?.id}/trash`, { headers: { "if-match": "*" } });
  await place.owner.call("DELETE", `/tasks/${tasks[0]?.id}`, { headers: { "if-match": "*" } });
  expect((await one({ action: "trash", result_set })).refused).toContain("has 1 Tasks that are gone");
});
