// Results of each tool: reads and writes.
import { describe, expect, test } from "vitest";
import { documentIn, taskByCode, toolWorkshop } from "../../../test/mcp.ts";
import { newMilestone, newTask } from "../../../test/work.ts";
import { newKey, service, type World } from "../../../test/world.ts";

const running = service();
const workshop = () => toolWorkshop(running);
/** The address of a page of the Workspace. */
const pageOf = async ({ owner, workspaceId }: World, path: string) => {
  const { slug } = (await owner.call("GET", `/workspaces/${workspaceId}`)).body;
  return `${running.url}/workspaces/${slug}/${path}`;
};

describe("reading", () => {
  test("finds by words and by code, with links in place of ids", async () => {
    const { place, task, use } = await workshop();
    const link = `svc://task/${task.code}`;
    const url = await pageOf(place, `tasks/${task.code}`);
    expect(await use("find", { query: task.code.toLowerCase() })).toEqual({
      content_trust: "untrusted",
      items: [
        { kind: "task", code: task.code, link, url, title: "Cut the gears", snippet: "With a file.", status: "Todo" },
      ],
    });
    expect((await use("find", { query: "nothing like that" })).items).toEqual([]);
  });

  test("reads a Task with its context and no ids, and says what was cut and how to get it", async () => {
    const { place, project, task, use } = await workshop();
    const other = await newTask(place.owner, project.id, { title: "Melt the brass" });
    await place.owner.call("POST", `/tasks/${task.id}/relations`, {
      body: { type: "blocked_by", related_task_id: other.id },
      key: newKey(),
    });
    await use("comment", { code: task.code, markdown: "How **far**?" });
    const read = await use("get_task", { code: task.code });
    expect(read).toMatchObject({
      content_trust: "untrusted",
      link: `svc://task/${task.code}`,
      task: {
        code: task.code,
        title: "Cut the gears",
        description_markdown: "With a file.",
        status: "Todo",
        revision: task.revision,
      },
      project: { code: project.key, name: "Engine" },
      comments: [{ markdown: "How **far**?", author: expect.any(String) }],
    });
    expect(JSON.stringify(read)).not.toContain(task.id);
    const path = `/tasks/${other.id}`;
    await place.owner.call("PATCH", path, {
      body: { description_markdown: "x".repeat(60_000) },
      ifMatch: other.revision,
    });
    const cut = await use("get_task", { code: other.code });
    expect(cut.more).toBe("Cut to fit: description. Call again with detail full.");
    expect(JSON.stringify(cut).length).toBeLessThan(17_000);
  });

  test("reads a Document as Markdown by its path, in parts where it is long", async () => {
    const { place, use } = await workshop();
    await documentIn(place, { title: "How we plan", markdown: "# Plan\n\nOn **Mondays**." });
    expect(await use("get_document", { path: "how-we-plan" })).toMatchObject({
      content_trust: "untrusted",
      path: "how-we-plan",
      link: "svc://document/how-we-plan",
      title: "How we plan",
      markdown: "# Plan\n\nOn **Mondays**.",
      content_revision: expect.any(String),
    });
    expect((await use("list_documents")).items).toMatchObject([{ path: "how-we-plan", title: "How we plan" }]);
    await documentIn(place, { title: "Long", markdown: "word ".repeat(5000) });
    const first = await use("get_document", { path: "long" });
    expect([first.markdown.length, first.more]).toEqual([
      20_000,
      expect.stringContaining("call again with offset 20000"),
    ]);
    const rest = await use("get_document", { path: "long", offset: 20_000 });
    expect(first.markdown + rest.markdown).toBe("word ".repeat(5000).trim());
    expect(rest.more).toBeUndefined();
  });

  test("reads a Project with the names that other tools take", async () => {
    const { place, project, use } = await workshop();
    await newMilestone(place.owner, project.id, { name: "First turn" });
    expect(await use("get_project", { key: project.key.toLowerCase() })).toMatchObject({
      key: project.key,
      name: "Engine",
      statuses: expect.arrayContaining([{ name: "In Progress", category: "started" }]),
      milestones: [{ code: `${project.key}-M1`, name: "First turn" }],
    });
    expect((await use("list_projects")).items).toMatchObject([{ key: project.key, name: "Engine" }]);
  });

  test("lists by any filter in words, page by page, and says which words there are", async () => {
    const { place, project, task, use } = await workshop();
    const ada = await place.member("member");
    for (const title of ["One", "Two", "Three"])
      await newTask(place.owner, project.id, { title, assignee_actor_id: ada.actorId, priority: "high" });
    const theirs = await use("list_tasks", {
      project: project.key,
      assignee: ada.userId,
      priority: ["high"],
      limit: 2,
    });
    expect(theirs.items).toHaveLength(2);
    expect(theirs.more).toContain("cursor");
    const next = await use("list_tasks", {
      project: project.key,
      assignee: ada.userId,
      priority: ["high"],
      limit: 2,
      cursor: theirs.next_cursor,
    });
    expect([...theirs.items, ...next.items].map(({ title }: { title: string }) => title).sort()).toEqual([
      "One",
      "Three",
      "Two",
    ]);
    expect(next.next_cursor).toBeUndefined();
    expect(theirs.items[0]).toMatchObject({ assignee: ada.userId, priority: "high", status: "Todo", revision: "1" });
    expect((await use("list_tasks", { project: project.key, status: "todo", assignee: "none" })).items).toMatchObject([
      { code: task.code },
    ]);
    for (const [args, told] of [
      [
        { project: project.key, status: "Nowhere" },
        "must be one of: Backlog, Todo, In Progress, In Review, Done, Cancelled",
      ],
      [{ status: "Todo" }, "status needs a project beside it"],
      [
        { project: "NOPE" },
        "Not found. It does not exist, or you cannot read it. list_projects names those that you can see. [not_found]",
      ],
      [{ assignee: "nobody-like-that" }, "assignee names nothing that there is"],
      [{ cursor: "junk" }, "begin without a cursor"],
      [{ colour: "red" }, "colour must NOT have additional properties"],
      [{ limit: 51 }, "limit must be <= 50"],
    ] as const)
      expect((await use("list_tasks", args)).refused, JSON.stringify(args)).toContain(told);
  });

  test("lists the caller's own work", async () => {
    const { place, project, use } = await workshop();
    await newTask(place.owner, project.id, {
      title: "Mine",
      assignee_actor_id: place.owner.actorId,
      due_date: "2026-01-01",
    });
    expect((await use("my_work")).items).toMatchObject([{ title: "Mine", due_date: "2026-01-01" }]);
    expect((await use("my_work", { view: "due_soon" })).items).toHaveLength(1);
    expect((await use("my_work", { view: "completed" })).items).toEqual([]);
    expect((await use("list_tasks", { due: ["overdue", "week"] })).items).toMatchObject([{ title: "Mine" }]);
    expect((await use("list_tasks", { due: ["today"] })).items).toEqual([]);
    expect((await use("list_tasks", { due: ["late"] })).refused).toContain(
      "due.0 must be equal to one of the allowed values: overdue",
    );
  });
});

describe("writing", () => {
  test("creates a Task with names in place of ids", async () => {
    const { place, project, task, use } = await workshop();
    await newMilestone(place.owner, project.id);
    const label = { name: "Bug", color: "red", purpose: "task" };
    await place.owner.call("POST", `/workspaces/${place.workspaceId}/label-definitions`, {
      body: label,
      key: newKey(),
    });
    const made = await use("create_task", {
      project: project.key,
      title: "Mend it",
      description: "Soon.",
      priority: "urgent",
      status: "in progress",
      assignee: "me",
      labels: ["bug"],
      milestone: `${project.key}-M1`,
      parent: task.code,
      due_date: "2027-01-31",
    });
    expect(made).toMatchObject({ title: "Mend it", revision: expect.any(String), command: expect.any(String) });
    const found = await taskByCode(place, made.code);
    expect(found).toMatchObject({
      title: "Mend it",
      description_markdown: "Soon.",
      priority: "urgent",
      due_date: "2027-01-31",
      assignee_actor_id: place.owner.actorId,
      parent_id: task.id,
      milestone_id: expect.any(String),
    });
    expect(found.included.statuses[found.status_id].name).toBe("In Progress");
    expect(found.included.labels[found.label_ids[0]].name).toBe("Bug");
  });

  test("changes what is named, at the revision that was read, and clears with null", async () => {
    const { place, task, use } = await workshop();
    const set = await use("update_task", { code: task.code, revision: "1", assignee: "me", due_date: "2027-01-31" });
    expect(set.revision).toBe("2");
    const stale = await use("update_task", { code: task.code, revision: "1", priority: "low" });
    expect(stale.refused).toContain(
      "Read it again with get_task, and call again with its revision. Its revision is now 2.",
    );
    await use("update_task", { code: task.code, revision: "2", assignee: null, due_date: null, title: "Cut them" });
    expect(await taskByCode(place, task.code)).toMatchObject({
      title: "Cut them",
      assignee_actor_id: null,
      due_date: null,
      priority: "none",
      revision: "3",
    });
  });

  test("starts, finishes and reopens; each step happens once however often it is called", async () => {
    const { place, task, use } = await workshop();
    let revision = task.revision;
    for (const [step, status] of [
      ["start", "In Progress"],
      ["finish", "Done"],
      ["reopen", "In Progress"],
      ["finish", "Done"],
    ]) {
      const first = await use("advance_task", { code: task.code, revision, step });
      expect(first.status, JSON.stringify(first)).toBe(status);
      const again = await use("advance_task", { code: task.code, revision, step });
      expect(again).toMatchObject({ command: first.command, revision: first.revision, repeated: true });
      revision = first.revision;
    }
    const refused = await use("advance_task", { code: task.code, revision: "1", step: "reopen" });
    expect(refused.refused).toContain("[revision_conflict]");
    expect((await taskByCode(place, task.code)).revision).toBe(revision);
  });

  test("a key has one effect, also of two calls at once, and conflicts with other arguments", async () => {
    const { place, project, task, use } = await workshop();
    for (const [name, args] of [
      ["create_task", { project: project.key, title: "Once" }],
      ["comment", { code: task.code, markdown: "Once" }],
      ["log_time", { code: task.code, duration: "30m", date: "2026-05-04" }],
    ] as const) {
      const key = `another-key-${name}`;
      const first = await use(name, args);
      const both = await Promise.all(["a", "a"].map(() => use(name, { ...args, key })));
      expect(new Set(both.map(({ command }) => command)).size, name).toBe(1);
      expect(both[0].command).not.toBe(first.command);
      expect(await use(name, { ...args, key })).toMatchObject({
        command: both[0].command,
        repeated: true,
        more:
          "Nothing was done: this key was used for the same call before, and this is the result of that call. " +
          "To do it once more, call again with a new key.",
      });
      const other = name === "log_time" ? { note: "x" } : name === "comment" ? { markdown: "x" } : { title: "x" };
      expect((await use(name, { ...args, ...other, key })).refused, name).toContain(
        "This key was used for another call",
      );
    }
    const { items } = (await place.owner.call("GET", `/projects/${project.id}/tasks?text=Once`)).body;
    expect(items).toHaveLength(2);
    const comments = await place.owner.call("GET", `/tasks/${task.id}/comments`);
    expect(comments.body.items).toHaveLength(2);
    expect((await place.owner.call("GET", `/tasks/${task.id}/time-totals`)).body).toMatchObject({
      seconds: 3600,
      entries: 2,
    });
  });

  test("tells what became of a write, by command or key, and takes it back once", async () => {
    const { place, task, use } = await workshop();
    const key = "a-key-of-the-assistant";
    const { command } = await use("comment", { code: task.code, markdown: "Oops", key });
    for (const id of [command, key])
      expect(await use("get_receipt", { id })).toMatchObject({
        command,
        state: "committed",
        operation: "createCliTaskComment",
        can_undo: true,
        effects: [{ action: "task.comment.created", code: task.code }],
      });
    expect(await use("undo", { command })).toMatchObject({ operation: "undoOperation" });
    expect((await use("undo", { command })).refused).toContain("[already_undone]");
    const { items } = (await place.owner.call("GET", `/tasks/${task.id}/comments`)).body;
    expect(items[0].deleted_at).not.toBeNull();
    expect((await use("get_receipt", { id: "never-sent-anything" })).refused).toContain("[not_found]");
  });

  test("audit and activity name the person and the client", async () => {
    const { place, task, use } = await workshop();
    const { command } = await use("update_task", { code: task.code, revision: "1", priority: "high" });
    const audited = await running.sql(
      "select operation, user_id, actor_id, credential_kind, client from audit_log where id = $1",
      [command],
      place.workspaceId,
    );
    expect(audited).toEqual([
      {
        operation: "updateTask",
        user_id: place.owner.userId,
        actor_id: place.owner.actorId,
        credential_kind: "mcp",
        client: "Tidy Robot",
      },
    ]);
    const { items } = (await place.owner.call("GET", `/workspaces/${place.workspaceId}/activity`)).body;
    expect(items[0].provenance).toMatchObject({
      actor_id: place.owner.actorId,
      source: "mcp_client",
      client: "Tidy Robot",
      command_id: command,
    });
    expect(items.at(-1).provenance).toMatchObject({ source: "browser", client: null });
  });
});
