// Tools for the caller's own data: the inbox and recorded time, each under its own scope. Only the caller can mark or
// correct them.
import { describe, expect, test } from "vitest";
import { reviewed } from "../../../test/changes.ts";
import { callTool, mcpToken, sendMcp, serviceToken, toolNames, toolWorkshop } from "../../../test/mcp.ts";
import { newTask } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";
import { tellEvents } from "../../history/inbox/fill-inboxes.ts";

const running = service();

/** A member who was assigned two Tasks, with tools of their own. */
async function told() {
  const { place, project, task } = await toolWorkshop(running);
  const ada = await place.member("member");
  const tasks = [];
  for (const title of ["One", "Two"])
    tasks.push(await newTask(place.owner, project.id, { title, assignee_actor_id: ada.actorId }));
  await tellEvents(running.database);
  const using = async (scope: string) => {
    const token = await mcpToken(running, place, scope, ada);
    return { token, use: (name: string, args: object = {}) => callTool(running, token, name, args) };
  };
  return { place, project, task, tasks, ada, using, ...(await using("svc:read svc:write")) };
}

describe("the inbox", () => {
  test("shows what is unread, with codes and who did it; what was marked is only there with all", async () => {
    const { tasks, use } = await told();
    const first = await use("my_work", { view: "inbox", limit: 1 });
    expect(first).toMatchObject({
      content_trust: "untrusted",
      unread: 2,
      next_cursor: expect.any(String),
      items: [
        { category: "assigned", action: "task.created", code: tasks[1]?.code, title: "Two", by: expect.any(String) },
      ],
    });
    expect(first.items[0]).toMatchObject({ link: `svc://task/${tasks[1]?.code}`, id: expect.any(String) });
    const rest = await use("my_work", { view: "inbox", cursor: first.next_cursor });
    expect(rest.items.map(({ title }: { title: string }) => title)).toEqual(["One"]);
    expect(await use("mark_read", { ids: [first.items[0].id] })).toEqual({ changed: 1, unread: 1 });
    expect(await use("mark_read", { ids: [first.items[0].id] }), "again").toEqual({ changed: 0, unread: 1 });
    expect((await use("my_work", { view: "inbox" })).items).toMatchObject([{ title: "One" }]);
    expect((await use("my_work", { view: "inbox", all: true })).items).toHaveLength(2);
    expect(await use("mark_read", { ids: [first.items[0].id], read: false })).toEqual({ changed: 1, unread: 2 });
    const now = new Date(Date.now() + 60_000).toISOString();
    expect(await use("mark_read", { all_before: now })).toEqual({ changed: 2, unread: 0 });
    expect((await use("my_work", { view: "inbox" })).items).toEqual([]);
    expect((await use("mark_read")).refused).toContain("ids must be sent, or all_before in its place");
  });

  test("is nobody else's: another person's items are passed over, and a service has one of its own", async () => {
    const { place, use } = await told();
    const { items } = await use("my_work", { view: "inbox" });
    const ids = items.map(({ id }: { id: string }) => id);
    const owner = await mcpToken(running, place);
    expect(await callTool(running, owner, "mark_read", { ids })).toEqual({ changed: 0, unread: 0 });
    const { token } = await serviceToken(place, ["svc:read", "svc:write"]);
    expect((await callTool(running, token, "my_work", { view: "inbox" })).items).toEqual([]);
    expect(await callTool(running, token, "mark_read", { ids })).toEqual({ changed: 0, unread: 0 });
    expect((await use("my_work", { view: "inbox" })).unread).toBe(2);
  });
});

describe("time", () => {
  test("is listed by day with its sum, and corrected or voided by a proposal that the person approves", async () => {
    const { place, task, ada, use } = await told();
    for (const [duration, date] of [
      ["1h", "2027-01-05"],
      ["30m", "2027-01-04"],
      ["2h", "2027-02-01"],
    ])
      await use("log_time", { code: task.code, duration, date, note: "Filed" });
    const read = () => use("my_work", { view: "time", from: "2027-01-01", to: "2027-01-31" });
    const { items, duration } = await read();
    expect([duration, items.length]).toEqual(["PT1H30M", 2]);
    expect(items[0]).toMatchObject({
      date: "2027-01-04",
      code: task.code,
      duration: "PT30M",
      note: "Filed",
      revision: "1",
    });
    const [half, hour] = items as { entry: string; revision: string }[];
    const changes = [
      { action: "correct_time", ...half, set: { duration: "45m", date: "2027-01-06" } },
      { action: "void_time", ...hour },
    ].map(({ action, entry, revision, set }: Record<string, unknown>) => ({ action, entry, revision, set }));
    const proposed = await use("propose_changes", { title: "Mend my time", changes });
    expect([proposed.state, (await read()).duration]).toEqual(["proposed", "PT1H30M"]);
    await reviewed(ada, place, proposed);
    const { id, version, digest } = proposed;
    expect((await use("apply_change_set", { id, version, digest })).state).toBe("applied");
    expect((await read()).items).toMatchObject([{ date: "2027-01-06", duration: "PT45M" }]);
    for (const [args, said] of [
      [{ from: "2027-01-01" }, "to is needed for time"],
      [{ to: "2027-01-01" }, "from is needed for time"],
      [{ from: "2027-01-02", to: "2027-01-01" }, "[invalid_range]"],
    ] as const)
      expect((await use("my_work", { view: "time", ...args })).refused).toContain(said);
  });
});

test("each view has its scope: what a credential cannot use is 403 and names the scope, whatever else it may", async () => {
  const { using } = await told();
  const range = { from: "2027-01-01", to: "2027-01-31" };
  const asked = { inbox: { view: "inbox" }, time: { view: "time", ...range }, tasks: { view: "assigned" } };
  for (const [scope, own] of [
    ["svc:inbox:read", "inbox"],
    ["svc:time:read", "time"],
    ["svc:tasks:read", "tasks"],
  ] as const) {
    const { token } = await using(scope);
    expect(await toolNames(running, token)).toContain("my_work");
    for (const [view, args] of Object.entries(asked)) {
      const answer = await sendMcp(running, token, "tools/call", { name: "my_work", arguments: args });
      expect([scope, view, answer.status]).toEqual([scope, view, view === own ? 200 : 403]);
      if (view !== own) expect(answer.message.error.data.code).toBe("insufficient_scope");
    }
    const marking = { name: "mark_read", arguments: { all_before: "2027-01-01T00:00:00Z" } };
    expect((await sendMcp(running, token, "tools/call", marking)).status).toBe(403);
  }
});

test("people are found under the scope for members, and work under that for search", async () => {
  const { using, ada } = await told();
  const find = (token: string, args: object) =>
    sendMcp(running, token, "tools/call", { name: "find", arguments: args });
  const [person, words] = [{ query: ada.userId, kind: "person" }, { query: "gears" }];
  const [members, search] = [await using("svc:members:read"), await using("svc:search:read")];
  expect((await members.use("find", person)).items).toEqual([
    { kind: "person", username: ada.userId, name: expect.any(String), role: "member" },
  ]);
  expect((await find(members.token, words)).status).toBe(403);
  expect((await find(search.token, words)).status).toBe(200);
  expect((await find(search.token, person)).status).toBe(403);
});
