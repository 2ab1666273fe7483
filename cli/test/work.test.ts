// The work itself, each command against a real service: what it does there, what it tells scripts and people, and how
// it refuses.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { tellEvents } from "../../server/src/history/inbox/fill-inboxes.ts";
import { letAiIn } from "../../server/test/mcp.ts";
import { newComment, newMilestone, newProject, newTask } from "../../server/test/work.ts";
import { newKey, service, world } from "../../server/test/world.ts";
import { type Home, newHome, signedIn } from "./program.ts";

const running = service();

/** Somebody who is signed in, with a Project and a Task. */
async function desk(task: object = {}) {
  const place = await world(running);
  const project = await newProject(place);
  const first = await newTask(place.owner, project.id, task);
  const home = await signedIn(running, place);
  return {
    place,
    project,
    task: first,
    home,
    read: async () => await clientOf(place.owner).getTask({ task_id: first.id }),
  };
}
const inRepository = async (home: Home, branch: string) => {
  await home.run("git", ["init", "-q", "-b", branch, home.dir]);
};

describe("svc work", () => {
  test("lists what is assigned, and other views of one's own", async () => {
    const { home, task } = await desk();
    expect((await home.json(["work"])).items).toEqual([]);
    await home.svc(["start", task.code.toLowerCase()]);
    expect((await home.json(["work"])).items).toMatchObject([
      { code: task.code, status: "In Progress", category: "started" },
    ]);
    expect((await home.json(["work", "--view", "created"])).items).toMatchObject([
      { code: task.code, status: "In Progress" },
    ]);
    const { code, err } = await home.svc(["work", "--view", "mine"]);
    expect([code, err]).toEqual([2, expect.stringContaining("assigned, created")]);
  });

  test("tells fields and what a filter finds, and refuses a field that there is not", async () => {
    const { home, task } = await desk();
    await home.svc(["start", task.code]);
    expect((await home.svc(["work", "--json", "code,title"])).out).toBe(
      `${JSON.stringify({ items: [{ code: task.code, title: task.title }], has_more: false })}\n`,
    );
    expect((await home.svc(["work", "--jq", '.items[] | select(.category == "started") | .code'])).out).toBe(
      `${task.code}\n`,
    );
    const { code, err } = await home.svc(["work", "--json", "colour"]);
    expect([code, err]).toEqual([2, expect.stringContaining("There are: assignee")]);
    expect((await home.svc(["work", "--jq", ".items[] | upside_down"])).code).toBe(2);
  });
});

describe("svc task", () => {
  test("list: of a Project, further than one page, and by filters in words", async () => {
    const { home, place, project, task } = await desk();
    // A few at a time: a service that is busy elsewhere refuses a crowd.
    for (let made = 0; made < 104; made += 8)
      await Promise.all(
        Array.from({ length: 8 }, (_, at) => newTask(place.owner, project.id, { title: `Part ${made + at}` })),
      );
    const all = await home.json(["task", "list", "-p", project.key.toLowerCase(), "--limit", "103"]);
    expect([all.items.length, all.has_more]).toEqual([103, true]);
    await home.svc(["task", "edit", task.code, "--assignee", "me", "--priority", "urgent"]);
    const mine = await home.json(["task", "list", "-a", "me", "--priority", "urgent", "--priority", "high"]);
    expect(mine.items).toMatchObject([{ code: task.code, priority: "urgent" }]);
    await home.svc(["task", "edit", task.code, "--due", "2026-01-01"]);
    const late = await home.json(["task", "list", "--due", "overdue", "--due", "week"]);
    expect(late.items).toMatchObject([{ code: task.code }]);
    expect((await home.json(["task", "list", "--due", "today"])).items).toEqual([]);
    expect((await home.svc(["task", "list", "--due", "soon"])).code).toBe(2);
    const named = await home.json([
      "task",
      "list",
      "-p",
      project.key,
      "--status",
      "Todo",
      "--title",
      "part 7",
      "--limit",
      "60",
    ]);
    expect(named.items.length).toBe(11);
    const { code, err } = await home.svc(["task", "list", "-p", project.key, "--status", "Nowhere"]);
    expect([code, err]).toEqual([1, expect.stringContaining("In Progress")]);
    expect((await home.svc(["task", "list", "-p", "NONE"])).code).toBe(8);
  });

  test("view: in any case, with comments, and by the branch one is on", async () => {
    const { home, place, task } = await desk({ description_markdown: "Of **brass**." });
    await newComment(place.owner, task.id, "Nearly done");
    const { out } = await home.svc(["task", "view", task.code.toLowerCase(), "--comments"]);
    for (const part of [task.code, task.title, "Of **brass**.", "Nearly done"]) expect(out).toContain(part);
    await inRepository(home, `feature/${task.code.toLowerCase()}-cut-the-gears`);
    expect((await home.json(["task", "view"])).code).toBe(task.code);
    const nowhere = await home.svc(["task", "view"], { cwd: "/" });
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining("svc start")]);
    expect((await home.svc(["task", "view", "nonsense"])).code).toBe(2);
  });

  test("a Task of another Workspace and one that there is not are the same: 8", async () => {
    const [{ home }, { task }] = [await desk(), await desk()];
    const [hidden, missing] = [await home.svc(["task", "view", task.code]), await home.svc(["task", "view", "NONE-1"])];
    expect([hidden.code, missing.code]).toEqual([8, 8]);
    expect(hidden.err.replaceAll(task.code, "")).toBe(missing.err.replaceAll("NONE-1", ""));
  });

  test("create: from arguments, a file and standard input, with Windows line ends", async () => {
    const { home, project } = await desk();
    const made = async (args: string[], stdin?: string) => {
      const { code, out, err } = await home.svc(["task", "create", project.key.toLowerCase(), ...args], { stdin });
      expect(code, err).toBe(0);
      return home.json(["task", "view", out.trim()]);
    };
    expect(await made(["Cut", "the", "gears", "--priority", "high", "--body", "Of brass"])).toMatchObject({
      title: "Cut the gears",
      priority: "high",
      description_markdown: "Of brass",
    });
    const file = join(home.dir, "gears.md");
    writeFileSync(file, "\ufeff# From Windows\r\n\r\nFirst\r\nsecond\r\n");
    const windows = { title: "From Windows", description_markdown: "First\nsecond" };
    expect(await made(["--file", file])).toMatchObject(windows);
    // A process reads the pipe itself.
    const piped = await home.spawned(["task", "create", project.key], {
      stdin: "From Windows\r\n\r\nFirst\r\nsecond\r\n",
    });
    expect(await home.json(["task", "view", piped.out.trim()]), piped.err).toMatchObject(windows);
    expect(await made([], "From Windows\r\n\r\nFirst\r\nsecond\r\n")).toMatchObject(windows);
    expect(await made(["From", "Windows", "--body", "First\r\nsecond"])).toMatchObject(windows);
    expect(await made(["Body apart", "--body-file", "-"], "a\r\nb\r\n")).toMatchObject({
      description_markdown: "a\nb",
    });
    expect(await made(["Mine", "--assignee", "me", "--due", "2027-01-02", "--status", "Backlog"])).toMatchObject({
      due_date: "2027-01-02",
      status: "Backlog",
      assignee: expect.any(String),
    });
    expect((await home.svc(["task", "create", project.key])).code).toBe(2);
    expect((await home.svc(["task", "create", "NONE", "x"])).code).toBe(8);
    expect((await home.svc(["task", "create", project.key, "x".repeat(501)])).code).toBe(1);
    expect((await home.svc(["task", "create", project.key, "x".repeat(500)])).code).toBe(0);
  });

  test("create: with one key it happens once", async () => {
    const { home, project } = await desk();
    const args = ["task", "create", project.key, "Once", "--key", newKey()];
    const [one, other] = [await home.svc(args), await home.svc(args)];
    expect(one.out).toBe(other.out);
    const { code } = await home.svc(["task", "create", project.key, "Twice", "--key", args.at(-1) as string]);
    expect(code).toBe(5);
  });

  test("edit: changes what is named, clears what is none, and is refused at a stale revision", async () => {
    const { home, task, read } = await desk({ due_date: "2027-01-02", description_markdown: "Before" });
    const first = await home.json([
      "task",
      "edit",
      task.code,
      "--title",
      "Cut them",
      "--due",
      "none",
      "--body",
      "After",
    ]);
    expect(await read()).toMatchObject({ title: "Cut them", due_date: null, description_markdown: "After" });
    const { code, err } = await home.svc(["task", "edit", task.code, "--title", "Again", "--revision", task.revision]);
    expect([code, err]).toEqual([5, expect.stringContaining("changed")]);
    expect((await read()).title).toBe("Cut them");
    expect((await home.svc(["task", "edit", task.code, "--title", "Again", "--revision", first.revision])).code).toBe(
      0,
    );
    expect((await home.svc(["task", "edit", task.code])).code).toBe(2);
    expect((await home.svc(["task", "edit", task.code, "--priority", "very"])).code).toBe(2);
  });

  test("start, done and reopen: through the workflow, each at the revision that was seen", async () => {
    const { home, task, place } = await desk();
    const started = await home.json(["start", task.code]);
    expect(started).toMatchObject({ status: "In Progress", reassigned: false, command: expect.any(String) });
    expect((await home.svc(["done", task.code, "--revision", task.revision])).code).toBe(5);
    expect(await home.json(["done", task.code])).toMatchObject({ status: "Done", category: "completed" });
    expect(await home.json(["task", "reopen", task.code])).toMatchObject({ category: "started" });
    const viewer = await place.member("viewer");
    const other = await signedIn(running, { owner: viewer, workspaceId: place.workspaceId });
    expect((await other.svc(["start", task.code])).code).toBe(1);
  });

  test("done: where several Statuses count as done it says which, and takes one by name", async () => {
    const { home, place, project, task } = await desk();
    await clientOf(place.owner).createProjectStatus({ project_id: project.id, name: "Shipped", category: "completed" });
    const { code, err } = await home.svc(["done", task.code]);
    expect([code, err]).toEqual([5, expect.stringContaining('--status "Shipped"')]);
    expect((await home.svc(["done", task.code, "--status", "shipped"])).code).toBe(0);
    expect(await home.json(["task", "view", task.code])).toMatchObject({ status: "Shipped" });
  });

  test("start --branch makes a branch, goes back to it, and then the Task need not be named", async () => {
    const { home, task } = await desk({ title: "Schneide die Zahnräder – 歯車!" });
    const outside = await home.svc(["start", task.code, "--branch"], { cwd: "/" });
    expect(outside.code).toBe(2);
    expect(await home.json(["task", "view", task.code]), "nothing was started").toMatchObject({
      category: "unstarted",
    });
    await inRepository(home, "main");
    const identity = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
    await home.run("git", [...identity, "commit", "-q", "--allow-empty", "-m", "x"]);
    const branch = `${task.code.toLowerCase()}-schneide-die-zahnrader`;
    expect(await home.json(["start", task.code, "--branch"])).toMatchObject({ branch });
    expect((await home.run("git", ["branch", "--show-current"])).out.trim()).toBe(branch);
    await home.run("git", ["switch", "-q", "main"]);
    expect(await home.json(["start", task.code, "--branch"])).toMatchObject({ branch });
    expect(await home.json(["done"])).toMatchObject({ code: task.code, category: "completed" });
  });

  test("move: is proposed, approved by the person in a browser, and then applied", async () => {
    const { home, place, task } = await desk();
    const target = await newProject(place);
    const set = await home.json(["task", "move", task.code, target.key]);
    expect(set).toMatchObject({ state: "proposed", review_url: expect.stringContaining(running.url) });
    const early = await home.svc(["changes", "apply", set.id]);
    expect([early.code, early.err]).toEqual([5, expect.stringContaining("Approve it at")]);
    const { id, version, digest } = set;
    const { workspaceId: workspace_id } = place;
    await clientOf(place.owner).reviewChangeSet({ workspace_id, id, version, digest, decision: "approve" });
    expect((await home.svc(["changes", "show", set.id])).out).toContain("approved");
    const applied = await home.json(["changes", "apply", set.id]);
    expect(applied).toMatchObject({ state: "applied", command: expect.any(String) });
    expect(await home.json(["task", "view", task.code])).toMatchObject({ code: `${target.key}-1` });
    expect((await home.svc(["changes", "show", "nonsense"])).code).toBe(2);
    expect((await home.svc(["changes", "show", crypto.randomUUID()])).code).toBe(8);
  });

  test("open: shows the page of the Task, and opens it where there is a browser", async () => {
    const { home, task } = await desk();
    const { out } = await home.svc(["task", "open", task.code]);
    expect(out.trim()).toMatch(new RegExp(`^${running.url}/workspaces/[\\w-]+/tasks/${task.code}$`));
    expect((await home.svc(["task", "open", "NONE-1"])).code).toBe(8);
  });
});

describe("what is around it", () => {
  test("comment: from arguments and standard input, with the code or by the branch; nothing is refused", async () => {
    const { home, task } = await desk();
    expect((await home.svc(["comment", task.code.toLowerCase(), "Arrives\r\ntomorrow"])).code).toBe(0);
    expect((await home.svc(["comment", task.code], { stdin: "Two\r\nlines\r\n" })).code).toBe(0);
    await inRepository(home, task.code);
    expect((await home.svc(["comment", "By the branch"])).code).toBe(0);
    const { comments } = await home.json(["task", "view", task.code, "--comments"]);
    expect(comments.map(({ markdown }: { markdown: string }) => markdown)).toEqual([
      "Arrives\ntomorrow",
      "Two\nlines",
      "By the branch",
    ]);
    expect((await home.svc(["comment", task.code])).code).toBe(2);
    expect((await home.svc(["comment", "NONE-1", "x"])).code).toBe(8);
  });

  test("search, projects and Milestones", async () => {
    const { home, place, project, task } = await desk({ title: "Unmistakable cogwheel" });
    const milestone = await newMilestone(place.owner, project.id, { name: "First turn", target_date: "2027-01-02" });
    expect((await home.json(["project", "list"])).items).toMatchObject([{ code: project.key, name: "Engine" }]);
    expect(await home.json(["project", "view", project.key.toLowerCase()])).toMatchObject({ code: project.key });
    const code = milestone.code;
    expect((await home.json(["milestone", "list", project.key])).items).toMatchObject([{ code, name: "First turn" }]);
    expect((await home.json(["milestone", "list", "-p", project.key.toLowerCase()])).items).toMatchObject([{ code }]);
    for (const wrong of [[], [project.key, "-p", "OTHER"]])
      expect((await home.svc(["milestone", "list", ...wrong])).code).toBe(2);
    expect(await home.json(["milestone", "view", code.toLowerCase()])).toMatchObject({
      code,
      progress: expect.anything(),
    });
    expect((await home.svc(["milestone", "view", "3"])).code).toBe(2);
    expect((await home.svc(["milestone", "view", `${project.key}-M99`])).code).toBe(8);
    expect((await home.json(["search", task.code])).items).toMatchObject([{ code: task.code, kind: "task" }]);
  });

  test("time: is recorded on a Task, and refused where it cannot be read", async () => {
    const { home, task, place } = await desk();
    const { command } = await home.json([
      "time",
      "add",
      "1h30m",
      task.code,
      "--date",
      "2026-05-04",
      "--note",
      "First gear",
    ]);
    const { items } = await clientOf(place.owner).listTaskTimeEntries({ task_id: task.id });
    expect(items).toMatchObject([{ seconds: 5400, work_date: "2026-05-04", note: "First gear" }]);
    const listed = await home.json(["time", "list", "--from", "2026-05-01", "--to", "2026-05-31"]);
    expect(listed).toMatchObject({
      duration: "PT1H30M",
      items: [{ code: task.code, date: "2026-05-04", note: "First gear" }],
    });
    expect((await home.json(["time", "list"])).items, "of the last seven days").toEqual([]);
    expect((await home.svc(["time", "list", "--from", "2027-01-02", "--to", "2027-01-01"])).code).toBe(1);
    expect((await home.svc(["time", "add", "soon", task.code])).code).toBe(1);
    expect((await home.svc(["undo", command])).code).toBe(0);
    expect((await clientOf(place.owner).listTaskTimeEntries({ task_id: task.id })).items).toEqual([]);
  });

  test("inbox: what one was told, what is read, and nobody else's", async () => {
    const { place, project } = await desk();
    const ada = await place.member("member");
    for (const title of ["One", "Two"])
      await newTask(place.owner, project.id, { title, assignee_actor_id: ada.actorId });
    await tellEvents(running.database);
    const home = await signedIn(running, { owner: ada, workspaceId: place.workspaceId });
    const { items } = await home.json(["inbox"]);
    expect(items).toMatchObject([
      { title: "Two", category: "assigned", read_at: null },
      { title: "One", category: "assigned" },
    ]);
    expect(await home.json(["inbox", "read", items[0].id])).toEqual({ changed: 1, unread: 1 });
    const other = await signedIn(running, place);
    expect(await other.json(["inbox", "read", items[1].id])).toMatchObject({ changed: 0 });
    expect((await home.json(["inbox"])).items).toMatchObject([{ title: "One" }]);
    expect(await home.json(["inbox", "read", "--all"])).toEqual({ changed: 1, unread: 0 });
    expect((await home.json(["inbox", "--all"])).items).toHaveLength(2);
    for (const args of [[], ["--all", items[0].id]]) expect((await home.svc(["inbox", "read", ...args])).code).toBe(2);
  });

  test("receipt and undo: what a write did, and as it was before; twice is a conflict", async () => {
    const { home, task, read } = await desk();
    const { command } = await home.json(["start", task.code]);
    expect(await home.json(["receipt", command])).toMatchObject({ state: "committed", can_undo: true });
    const { command: undoing } = await home.json(["undo", command]);
    expect((await read()).assignee_actor_id).toBeNull();
    const again = await home.svc(["undo", command]);
    expect([again.code, again.err]).toEqual([5, expect.stringContaining("undone")]);
    expect((await home.svc(["undo", undoing])).code).toBe(0);
    expect((await read()).assignee_actor_id).not.toBeNull();
    expect((await home.svc(["receipt", crypto.randomUUID()])).code).toBe(8);
  });

  test("what goes through tools is refused where the Workspace lets no assistant in, and the rest works on", async () => {
    const { home, task, place } = await desk();
    await letAiIn(place.owner, place.workspaceId, false);
    const { code, err } = await home.svc(["time", "add", "1h", task.code]);
    expect([code, err]).toEqual([1, expect.stringContaining("lets no assistant in")]);
    expect((await home.svc(["start", task.code])).code).toBe(0);
  });

  test("SVC_TOKEN does all of it: its Workspace is found out, or named by SVC_WORKSPACE, and another one is refused", async () => {
    const { place, task } = await desk();
    const env = { SVC_TOKEN: await place.token(), SVC_URL: running.url };
    const home = newHome(env);
    expect((await home.svc(["start", task.code])).code).toBe(0);
    const { workspace } = await home.json(["status"]);
    expect(workspace).toMatchObject({ id: place.workspaceId, role: "owner" });
    expect((await home.svc(["task", "open", task.code])).out).toContain(`/workspaces/${workspace.slug}/tasks/`);
    expect((await home.svc(["api", "GET", "/workspaces/{workspace}/tasks", "--jq", ".items[].code"])).out).toBe(
      `${task.code}\n`,
    );
    const add = (SVC_WORKSPACE?: string) => home.svc(["time", "add", "1h", task.code], { env: { SVC_WORKSPACE } });
    expect((await add()).code).toBe(0);
    expect((await add(place.workspaceId)).code).toBe(0);
    expect((await add((await world(running)).workspaceId)).code).toBe(1);
  });
});
