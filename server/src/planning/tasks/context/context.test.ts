// A Task's context: what is in it, that it stays within its bytes whatever people write, and that it tells nothing of
// what others hide.
import { expect, test } from "vitest";
import { newDocument } from "../../../../test/documents.ts";
import { newComment, newMilestone, newProject, newTask, trashTask } from "../../../../test/work.ts";
import { type Person, service, type World, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { beginning, profiles } from "./rules.ts";

const running = service();
const KIB = 1024;

const context = (home: World, id: string, query = "", person: Person = home.owner) =>
  person.call("GET", `/workspaces/${home.workspaceId}/tasks/${id}/context${query}`);
const related = (home: World, id: string, query = "", person: Person = home.owner) =>
  person.call("GET", `/workspaces/${home.workspaceId}/tasks/${id}/related-context${query}`);
const relate = (home: World, id: string, other: string, type = "blocks") =>
  home.owner.call("POST", `/tasks/${id}/relations`, { body: { type, related_task_id: other } });

/** Many by SQL: comments a second apart, and Tasks that this one blocks. */
const manyComments = ({ workspaceId, owner }: World, taskId: string, count: number, text = "Comment") =>
  running.sql(
    `insert into comments (workspace_id, id, task_id, author_actor_id, markdown, created_at)
     select $1, gen_random_uuid(), $2, $3, $4 || ' ' || n, now() - interval '1 day' + n * interval '1 second'
     from generate_series(1, $5::int) n`,
    [workspaceId, taskId, owner.actorId, text, count],
    workspaceId,
  );
const manyRelated = (
  { workspaceId, owner }: World,
  task: { id: string; project_id: string; status_id: string },
  count: number,
  title = "Related",
  milestoneId: string | null = null,
) =>
  running.sql(
    `with made as (
       insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id,
         milestone_id)
       select $1, gen_random_uuid(), $2, 1000 + n, $3, $4, n, $5, $8 from generate_series(1, $6::int) n returning id)
     insert into task_relations (workspace_id, id, kind, from_task_id, to_task_id, created_by_actor_id)
     select $1, gen_random_uuid(), 'blocks', $7, id, $5 from made`,
    [workspaceId, task.project_id, title, task.status_id, owner.actorId, count, task.id, milestoneId],
    workspaceId,
  );

test("the context of a Task holds its Project, its Milestone, what is related to it and what was said", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const milestone = await newMilestone(home.owner, project.id, { name: "First turn", target_date: "2027-03-31" });
  const task = await newTask(home.owner, project.id, { milestone_id: milestone.id, description_markdown: "Brass." });
  const [blocked, parent] = [await newTask(home.owner, project.id), await newTask(home.owner, project.id)];
  await relate(home, task.id, blocked.id);
  await relate(home, task.id, parent.id, "child_of");
  const [first, second] = [await newComment(home.owner, task.id, "One"), await newComment(home.owner, task.id, "Two")];
  const { status, body, trips } = await context(home, task.id);
  expect([status, trips]).toEqual([200, 2]);
  const { capabilities, ...row } = task;
  expect(body).toMatchObject({
    profile: "compact",
    content_trust: "untrusted",
    truncated: [],
    unavailable_providers: [],
    inaccessible: false,
    task: { ...row, parent_id: parent.id },
    project: { id: project.id, code: project.key, name: project.name },
    milestone: { id: milestone.id, code: `${project.key}-M1`, name: "First turn", target_date: "2027-03-31" },
  });
  const status_ = { name: "Todo", category: "unstarted" };
  expect(body.related).toEqual([
    {
      relation: "blocks",
      id: blocked.id,
      code: blocked.code,
      title: blocked.title,
      priority: "none",
      status: status_,
      due_date: null,
    },
    {
      relation: "child_of",
      id: parent.id,
      code: parent.code,
      title: parent.title,
      priority: "none",
      status: status_,
      due_date: null,
    },
  ]);
  expect(body.comments.map(({ id, markdown }: Record<string, string>) => [id, markdown])).toEqual([
    [first.id, "One"],
    [second.id, "Two"],
  ]);
});

test("compact has 20 related Tasks and 10 comments, full 100 and 50; the newest comments, in order; one more is marked", async () => {
  const home = await world(running);
  const project = await newProject(home);
  for (const [profile, { related: tasks, comments }] of Object.entries(profiles)) {
    const task = await newTask(home.owner, (await newProject(home)).id);
    await manyComments(home, task.id, comments);
    await manyRelated(home, task, tasks);
    const whole = (await context(home, task.id, `?profile=${profile}`)).body;
    expect([whole.related.length, whole.comments.length, whole.truncated]).toEqual([tasks, comments, []]);
    await newComment(home.owner, task.id, "Newest");
    await relate(home, task.id, (await newTask(home.owner, project.id)).id);
    const { body } = await context(home, task.id, `?profile=${profile}`);
    expect([body.related.length, body.comments.length]).toEqual([tasks, comments]);
    expect(body.truncated).toEqual(["related", "comments"]);
    const said = body.comments.map(({ markdown }: { markdown: string }) => markdown);
    expect([said[0], said.at(-2), said.at(-1)]).toEqual(["Comment 2", `Comment ${comments}`, "Newest"]);
  }
});

test("the encoded answer never exceeds 16 and 64 KiB, whatever the text is made of", async () => {
  const home = await world(running);
  for (const letter of ["a", "é", "\u{1f600}", '"', "\n"]) {
    const name = letter === "\n" ? "漢" : letter;
    const project = await newProject(home, { name: name.repeat(200) });
    const milestone = await newMilestone(home.owner, project.id, { name: name.repeat(200) });
    const text = `.${letter.repeat(100_000)}`;
    const body = { description_markdown: text, title: name.repeat(500), milestone_id: milestone.id };
    const task = await newTask(home.owner, project.id, body);
    await manyComments(home, task.id, 51, letter.repeat(3_000));
    await manyRelated(home, task, 101, name.repeat(500), milestone.id);
    for (const [profile, most] of [
      ["compact", 16 * KIB],
      ["full", 64 * KIB],
    ] as const) {
      const found = await context(home, task.id, `?profile=${profile}`);
      const bytes = Buffer.byteLength(found.text);
      expect(bytes).toBeLessThanOrEqual(most);
      expect(bytes).toBeGreaterThan(most - 64);
      expect(found.body.truncated).toEqual(["description", "related", "comments"]);
      expect([found.body.related.length > 0, found.body.comments.length > 0]).toEqual([true, true]);
      const kept = found.body.task.description_markdown as string;
      expect(kept.isWellFormed() && text.startsWith(kept) && kept.length > most / 16).toBe(true);
      const others = await related(home, task.id, `?profile=${profile}`);
      expect(Buffer.byteLength(others.text)).toBeLessThanOrEqual(most);
      expect(others.body.truncated).toEqual(["related", "milestone_tasks"]);
    }
  }
});

test("a description that fits to the byte is whole, and one more byte cuts it", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  const empty = Buffer.byteLength((await context(home, task.id)).text);
  // What is cut is marked, and the room for the marks is kept free.
  const marks = '"description","related","documents","comments"'.length;
  const room = 16 * KIB - empty - marks;
  const write = async (text: string, revision: string) => {
    await home.owner.call("PATCH", `/tasks/${task.id}`, { body: { description_markdown: text }, ifMatch: revision });
    return (await context(home, task.id)).body;
  };
  const fits = await write("x".repeat(room), "1");
  expect([fits.truncated, fits.task.description_markdown.length]).toEqual([[], room]);
  const cut = await write("x".repeat(room + 1), "2");
  expect([cut.truncated, cut.task.description_markdown.length]).toEqual([["description"], room]);
});

test("a text is cut between characters and counted as it is encoded", () => {
  expect(beginning("abc", 3)).toBe("abc");
  expect(beginning("abcd", 3)).toBe("abc");
  expect(beginning("\u{1f600}\u{1f600}", 7)).toBe("\u{1f600}");
  expect(beginning("\u{1f600}", 3)).toBe("");
  expect(beginning("ééé", 5)).toBe("éé");
  expect(beginning('"""', 5)).toBe('""');
  expect(beginning("\n\n", 3)).toBe("\n");
  expect(beginning("abc", 0)).toBe("");
});

test("what the caller does not see is not there, and only that there is something is told", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const [open, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
  const [task, seen, secret] = [
    await newTask(home.owner, open.id),
    await newTask(home.owner, open.id),
    await newTask(home.owner, hidden.id, { title: "Perpetual motion" }),
  ];
  await relate(home, task.id, seen.id);
  expect((await context(home, task.id, "", member)).body.inaccessible).toBe(false);
  await relate(home, task.id, secret.id);
  for (const read of [context, related]) {
    const { body, text } = await read(home, task.id, "", member);
    expect([body.inaccessible, body.related.map(({ code }: { code: string }) => code)]).toEqual([true, [seen.code]]);
    expect(text).not.toMatch(new RegExp(`Perpetual|${hidden.key}-|${secret.id}`));
    const whole = (await read(home, task.id)).body;
    expect([whole.inaccessible, whole.related.length]).toEqual([false, 2]);
  }
  for (const read of [context, related]) {
    expect((await read(home, secret.id, "", member)).status).toBe(404);
    expect((await read(home, newId(), "", member)).status).toBe(404);
    expect((await read(home, task.id, "", (await world(running)).owner)).status).toBe(404);
  }
});

test("what lies in the trash is related to nothing; a deleted comment keeps its place without its text", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [task, other] = [await newTask(home.owner, project.id), await newTask(home.owner, project.id)];
  await relate(home, task.id, other.id);
  await trashTask(running, home, other.id);
  const gone = await newComment(home.owner, task.id, "Forget this");
  await newComment(home.owner, task.id, "Stays");
  await home.owner.call("DELETE", `/comments/${gone.id}`);
  const { body, text } = await context(home, task.id);
  expect([body.related, body.inaccessible]).toEqual([[], false]);
  expect(body.comments.map(({ markdown }: { markdown: string }) => markdown)).toEqual(["", "Stays"]);
  expect(body.comments[0].deleted_at).not.toBeNull();
  expect(text).not.toContain("Forget");
});

test("the others in the Milestone come after what is related, and share the number of items with it", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const milestone = await newMilestone(home.owner, project.id);
  const task = await newTask(home.owner, project.id, { milestone_id: milestone.id });
  await manyRelated(home, task, 15);
  for (let made = 0; made < 5; made++) await newTask(home.owner, project.id, { milestone_id: milestone.id });
  const { body, trips } = await related(home, task.id);
  expect([trips, body.task_id, body.truncated]).toEqual([2, task.id, []]);
  expect([body.related.length, body.milestone_tasks.length]).toEqual([15, 5]);
  const numbers = body.milestone_tasks.map(({ code }: { code: string }) => Number(code.split("-")[1]));
  expect(numbers).toEqual([6, 5, 4, 3, 2]);
  await newTask(home.owner, project.id, { milestone_id: milestone.id });
  expect((await related(home, task.id)).body.truncated).toEqual(["milestone_tasks"]);
  expect((await related(home, task.id, "?profile=full")).body.milestone_tasks).toHaveLength(6);
});

test("what is related and in the Milestone too is shown once, and leaves its place to the others", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const milestone = await newMilestone(home.owner, project.id);
  const inside = { milestone_id: milestone.id };
  const task = await newTask(home.owner, project.id, inside);
  for (let made = 0; made < 2; made++) await newTask(home.owner, project.id, inside);
  await manyRelated(home, task, 18, "Both", milestone.id);
  const { body } = await related(home, task.id);
  expect([body.related.length, body.milestone_tasks.length, body.truncated]).toEqual([18, 2, []]);
  await newTask(home.owner, project.id, inside);
  expect((await related(home, task.id)).body.truncated).toEqual(["milestone_tasks"]);
});

test("another profile is refused", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  for (const read of [context, related])
    expect((await read(home, task.id, "?profile=huge")).body.code).toBe("invalid_request");
});

test("linked Documents stand in the context, as far as the reader sees them, and share the room of related items", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const [project, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
  const task = await newTask(owner, project.id);
  const linked = (id: string) => owner.call("POST", `/documents/${id}/links/task/${task.id}`);
  const plan = await newDocument(home, { title: "Plan" });
  await linked(plan.id);
  const naming = await newDocument(home, { title: "Notes" });
  await running.sql(
    `insert into document_links (workspace_id, document_id, target_kind, target_id, origin, created_by_actor_id)
     values ($1, $2, 'task', $3, 'content', $4), ($1, $5, 'task', $3, 'content', $4)`,
    [workspaceId, naming.id, task.id, owner.actorId, plan.id],
    workspaceId,
  );
  const first = await context(home, task.id);
  expect(first.trips).toBe(2);
  expect(first.body.documents).toEqual(
    [naming, plan].map(({ id, path, title, updated_at }) => ({ id, path, title, updated_at })),
  );
  const gone = await newDocument(home, { title: "Gone" });
  await linked(gone.id);
  await owner.call("DELETE", `/documents/${gone.id}`);
  const secret = await newDocument(home, { title: "Secret", project_id: hidden.id });
  await linked(secret.id);
  const member = await home.member("member");
  const { body, text } = await context(home, task.id, "", member);
  expect(body.documents.map(({ id }: { id: string }) => id)).toEqual([naming.id, plan.id]);
  expect([body.inaccessible, text.includes("Secret")]).toEqual([true, false]);
  await manyRelated(home, task, 19);
  const full = (await context(home, task.id)).body;
  expect([full.related.length, full.documents.length, full.truncated]).toEqual([19, 1, ["documents"]]);
});

test("the newest of 401 linked Documents are in the context", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const task = await newTask(owner, (await newProject(home)).id);
  await running.sql(
    `with made as (
       insert into documents (workspace_id, id, depth, title, slug, path, position, created_by_actor_id)
       select $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 'Old', 'old-' || n,
         'old-' || n, n, $2
       from generate_series(1, 400) n returning id)
     insert into document_links (workspace_id, document_id, target_kind, target_id, origin, created_by_actor_id)
     select $1, id, 'task', $3, 'manual', $2 from made`,
    [workspaceId, owner.actorId, task.id],
    workspaceId,
  );
  const { id } = await newDocument(home, { title: "New" });
  expect((await owner.call("POST", `/documents/${id}/links/task/${task.id}`)).status).toBe(201);
  const { body } = await context(home, task.id);
  expect(body.documents.map(({ title }: { title: string }) => title)).toEqual(["New", ...Array(19).fill("Old")]);
});
