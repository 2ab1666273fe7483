// Operations on one thing: everything that they touch is found by an index, beside 20,000 rows and more of everything.
// Part of explain.slow.test.ts, because loading them takes longer than asking.
import { expect, test } from "vitest";
import { sweepInvitations } from "../src/accounts/workspaces/invite/invitation-store.ts";
import { claimDigests, mailDigest, pushItems } from "../src/history/inbox/delivery.ts";
import { tellEvents } from "../src/history/inbox/fill-inboxes.ts";
import { lifecycleJobs } from "../src/planning/lifecycle/jobs.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { newAttached } from "./attachments.ts";
import { commandOf, redo, undo } from "./commands.ts";
import { newDocument } from "./documents.ts";
import { COUNTED, explaining, type Statement, WINTER } from "./explained.ts";
import { givenCalls } from "./given.ts";
import { labelCalls } from "./labels.ts";
import { applied, lifecycleOf } from "./lifecycle.ts";
import { newStep, states, statuses } from "./steps.ts";
import { newComment, newMilestone, newProject, newTask } from "./work.ts";
import { newKey, world } from "./world.ts";

const { running, seen, explain, explainUndone, faultsOf, allFaultsOf } = explaining();

/** In any statement that was recorded; these. */
async function expectNoFaults() {
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
  return statements;
}

test("an operation on one thing finds everything that it touches by an index", async () => {
  const { home, projectId, task } = seen.loaded;
  const { workspaceId, owner } = home;
  seen.recorded = [];
  const { id } = await newTask(owner, projectId, { assignee_actor_id: owner.actorId });
  await owner.call("PATCH", `/tasks/${id}`, { body: { priority: "high" }, ifMatch: "1" });
  const body = { status_id: (await owner.call("GET", `/tasks/${task.id}`)).body.status_id, title: "Changed" };
  const changed = { ...body, assignee_actor_id: null, description_markdown: "Changed" };
  const comment = await newComment(owner, id);
  const answers = [
    await owner.call("PATCH", `/tasks/${id}`, { body: changed, ifMatch: "2" }),
    await owner.call("GET", `/workspaces/${workspaceId}/tasks/${task.code}`),
    await owner.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Changed" }, ifMatch: "1" }),
    await owner.call("PUT", `/comments/${comment.id}/reactions/heart`),
    await owner.call("DELETE", `/comments/${comment.id}/reactions/heart`),
    await owner.call("DELETE", `/comments/${comment.id}`),
    await owner.call("PATCH", `/projects/${projectId}`, { body: { name: "Changed" }, ifMatch: "1" }),
    await owner.call("GET", `/workspaces/${workspaceId}/people/${owner.userId}`),
    await owner.call("GET", `/workspaces/${workspaceId}/people/${owner.userId}/profile-picture/content`),
    await owner.call("DELETE", "/me/profile-picture"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 204, 204, 200, 200, 404, 204]);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(20);
  for (const statement of statements.values())
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("a Task is moved, copied, changed with others, thrown away and deleted by an index", async () => {
  const { home, projectId, task } = seen.loaded;
  const { workspaceId, owner } = home;
  const other = await newProject(home);
  const [moved, ...tasks] = [await newTask(owner, other.id), await newTask(owner, projectId)];
  seen.recorded = [];
  const bulk = { task_ids: tasks.map(({ id }) => id), changes: { assignee_actor_id: owner.actorId, priority: "low" } };
  const answers = [
    await owner.call("POST", `/tasks/${moved.id}/move`, { body: { project_id: projectId }, ifMatch: "1" }),
    await owner.call("GET", `/workspaces/${workspaceId}/tasks/${moved.code}`),
    await owner.call("POST", `/tasks/${task.id}/duplicate`, { key: newKey() }),
    await owner.call("POST", `/workspaces/${workspaceId}/tasks/bulk`, { body: bulk }),
    await owner.call("POST", `/tasks/${task.id}/description-revisions/1000007/restore`, {
      headers: { "if-match": "*" },
    }),
    await owner.call("POST", `/tasks/${moved.id}/trash`, { ifMatch: "2" }),
    await owner.call("DELETE", `/tasks/${moved.id}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200, 200, 204]);
  await expectNoFaults();
});

test("what a Task is made and changed with, and many are labelled and moved with, is found by an index", async () => {
  const { home, projectId } = seen.loaded;
  const calls = await givenCalls(home, projectId);
  seen.recorded = [];
  expect((await calls()).map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 200]);
  await expectNoFaults();
});

test("a lifecycle migration reads no more of the Tasks than a page at a time", async () => {
  const { home, task } = seen.loaded;
  const tasks = await lifecycleOf(running, home, "task");
  seen.recorded = [];
  const { status, body } = await applied(home, tasks, { [task.status_id]: tasks.ids.Backlog as string });
  expect(status).toBe(202);
  const jobs = lifecycleJobs(running.database, { pageSize: 250, turnMs: 0 });
  const ending = { abortSignal: AbortSignal.abort() } as never;
  await jobs.migrate_lifecycle?.({ workspace_id: home.workspaceId, id: body.id }, ending);
  const statements = await expectNoFaults();
  const { sql, values } = statements.values().find((each) => each.sql.includes("task.status_changed")) as Statement;
  // The next page, whose events have ids of their own.
  const page = { sql, values: [...values.slice(0, -1), Array.from({ length: 250 }, newId)] };
  const nodes = await running.database.writer.use(async (tx) => {
    await tx.begin();
    return explain(page, home.workspaceId, COUNTED, tx);
  });
  expect(faultsOf(nodes)).toEqual([]);
  expect(nodes.some((node) => node["Node Type"] === "LockRows" && node["Actual Rows"] === 250)).toBe(true);
  await running.sql("update lifecycle_migrations set state = 'completed'", [], home.workspaceId);
});

test("a Task is found by its code, started, finished and read with its context by an index", async () => {
  const { home, projectId, milestone } = seen.loaded;
  const { workspaceId, owner } = home;
  const token = await home.token();
  const { id, code } = await newTask(owner, projectId, { milestone_id: milestone.id });
  const other = await newTask(owner, projectId);
  await owner.call("POST", `/tasks/${id}/relations`, { body: { type: "blocks", related_task_id: other.id } });
  seen.recorded = [];
  const step = (name: string) =>
    owner.bearer(token, "POST", `/cli/tasks/${code}/${name}`, { key: newKey(), headers: { "if-match": "*" } });
  const answers = [
    await step("start"),
    await step("done"),
    await step("reopen"),
    await owner.bearer(token, "GET", `/cli/tasks/${code}`),
    await owner.bearer(token, "GET", `/cli/tasks/${code}/context?profile=full`),
    await owner.call("GET", `/workspaces/${workspaceId}/tasks/${id}/context`),
    await owner.call("GET", `/workspaces/${workspaceId}/tasks/${id}/related-context`),
    await owner.bearer(token, "GET", `/cli/projects/${code.split("-")[0]}`),
    await owner.bearer(token, "GET", `/cli/milestones/${milestone.code}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await expectNoFaults();
});

test("labels, what bears them and how a Project shows them are found by an index", async () => {
  const { home, projectId, task } = seen.loaded;
  seen.recorded = [];
  const answers = await labelCalls(home, projectId, task.id);
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 200, 200, 200, 200, 204, 204]);
  await expectNoFaults();
});

test("a Milestone, what is in it and the overview of its Project are found by an index", async () => {
  const { home, projectId, task, milestone } = seen.loaded;
  const { workspaceId, owner } = home;
  seen.recorded = [];
  const { id } = await newMilestone(owner, projectId);
  await newTask(owner, projectId, { milestone_id: milestone.id, assignee_actor_id: owner.actorId });
  const stages = `/workspaces/${workspaceId}/milestone-lifecycle`;
  const lifecycle = (await owner.call("GET", stages)).body;
  const kept = lifecycle.stages.map(({ id, name, category }: Record<string, string>) => ({ id, name, category }));
  const answers = [
    await owner.call("PATCH", `/tasks/${task.id}`, { body: { milestone_id: id }, headers: { "if-match": "*" } }),
    await owner.call("GET", `/milestones/${milestone.id}`),
    await owner.call("GET", `/projects/${projectId}/milestones/by-code/${milestone.code}`),
    await owner.call("PATCH", `/milestones/${milestone.id}`, { body: { stage_id: kept[2].id }, ifMatch: "1" }),
    await owner.call("DELETE", `/milestones/${id}`),
    await owner.call("PUT", stages, { body: { stages: kept.slice(0, 3) }, ifMatch: lifecycle.revision }),
    await owner.call("GET", `/projects/${projectId}/overview`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 204, 200, 200]);
  await expectNoFaults();
});

test("Statuses and lifecycles are changed and read without looking at the work or at other Projects' Statuses", async () => {
  const { home, reader, projectId } = seen.loaded;
  const { workspaceId, owner } = home;
  seen.recorded = [];
  const [wide, next] = [await newStep(home, statuses), await newStep(home, statuses)];
  const own = await newStep(home, statuses, {}, `/projects/${projectId}/statuses`);
  const state = await newStep(home, states);
  const answers = [
    await owner.call("GET", `/statuses/${wide.id}/lifecycle-preview?category=completed`),
    await reader.call("GET", `/statuses/${wide.id}/lifecycle-preview?category=completed`),
    await owner.call("PATCH", `/statuses/${wide.id}`, { body: { category: "backlog" }, ifMatch: "1" }),
    await owner.call("POST", `/statuses/${own.id}/move`, { body: { after_id: null } }),
    await owner.call("POST", `/statuses/${own.id}/archive-and-replace`, { body: { replacement_id: next.id } }),
    await owner.call("DELETE", `/statuses/${wide.id}`),
    await owner.call("DELETE", `/project-states/${state.id}`),
    await owner.call("GET", `/workspaces/${workspaceId}/lifecycle-definitions`),
    await owner.call("GET", `/workspaces/${workspaceId}/project-lifecycle`),
    await owner.call("PATCH", `/workspaces/${workspaceId}/project-lifecycle`, {
      body: { default_state_id: null },
      headers: { "if-match": "*" },
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 204, 204, 200, 200, 200]);
  await expectNoFaults();
});

test("a Project's order, members, policy, public page and shortcuts are found by an index", async () => {
  const { home, reader, projectId } = seen.loaded;
  const { workspaceId, owner } = home;
  const path = `/projects/${projectId}`;
  const any = { headers: { "if-match": "*" } };
  const [first] = (await owner.call("GET", `/workspaces/${workspaceId}/projects?limit=1`)).body.items;
  seen.recorded = [];
  const { public_id } = (await owner.call("PATCH", path, { body: { published: true }, ...any })).body;
  const answers = [
    await owner.call("POST", `${path}/move`, { body: { after_id: first.id } }),
    await owner.call("POST", `${path}/move`, { body: { after_id: null } }),
    await owner.call("POST", `${path}/members`, { body: { actor_id: reader.actorId, role: "viewer" } }),
    await owner.call("PATCH", `${path}/members/${reader.actorId}`, { body: { role: "member" }, ifMatch: "1" }),
    await owner.call("DELETE", `${path}/members/${reader.actorId}`),
    await owner.call("PUT", `${path}/completion-policy`, { body: { review_required: true }, ...any }),
    await owner.call("GET", `${path}/completion-policy`),
    await owner.call(
      "GET",
      `/workspaces/${workspaceId}/lifecycle-completion-targets?kind=task&project_id=${projectId}`,
    ),
    await owner.call("PUT", `/workspaces/${workspaceId}/project-shortcuts`, {
      body: { project_ids: [projectId] },
      ...any,
    }),
    await running.send("GET", `/public/projects/${public_id}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200, 204, 200, 200, 200, 200, 200]);
  await expectNoFaults();
});

test("relations, subscriptions and names are found by an index, and a chain of Tasks is followed by one", async () => {
  const { home, projectId, task } = seen.loaded;
  const { workspaceId, owner } = home;
  const [one, two] = [await newTask(owner, projectId), await newTask(owner, projectId)];
  const [relations, own] = [`/tasks/${one.id}/relations`, `/tasks/${one.id}/subscription`];
  seen.recorded = [];
  const { id } = (await owner.call("POST", relations, { body: { type: "blocks", related_task_id: two.id } })).body;
  const answers = [
    await owner.call("POST", relations, { body: { type: "relates_to", related_task_id: task.id } }),
    await owner.call("PATCH", `/task-relations/${id}`, { body: { type: "child_of", task_id: one.id }, ifMatch: "1" }),
    await owner.call("PATCH", `/task-relations/${id}`, { body: { type: "child_of", task_id: one.id }, ifMatch: "2" }),
    await owner.call("DELETE", `/task-relations/${id}`),
    await owner.call("PUT", own),
    await owner.call("GET", own),
    await owner.call("GET", `/workspaces/${workspaceId}/members/resolve?q=p`),
    await owner.call("GET", `/workspaces/${workspaceId}/members/resolve?q=p&project_id=${projectId}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([409, 200, 200, 204, 200, 200, 200, 200]);
  await expectNoFaults();
});

test("memberships and invitations are found by an index too", async () => {
  const { home } = seen.loaded;
  const { workspaceId, owner } = home;
  const leaver = await home.member("member");
  const find = "select id from memberships where workspace_id = $1 and user_id = $2";
  const [membership] = await running.sql<{ id: string }>(find, [workspaceId, leaver.userId]);
  const [member, invitations] = [
    `/workspaces/${workspaceId}/members/${membership?.id}`,
    `/workspaces/${workspaceId}/invitations`,
  ];
  const invite = (email: string) => owner.call("POST", invitations, { body: { email, role: "member" } });
  const newcomer = await (await world(running)).member("member");
  seen.recorded = [];
  const first = await invite("somebody@example.com");
  const again = await owner.call("POST", `${invitations}/${first.body.id}/resend`, { key: newKey() });
  const joining = await invite(newcomer.email);
  const answers = [
    ...[first, again, joining],
    await owner.call("DELETE", `${invitations}/${again.body.id}`),
    await running.send("POST", "/invitations/read", { body: { token: joining.body.token } }),
    await newcomer.call("POST", "/invitations/accept", { body: { token: joining.body.token } }),
    await owner.call("PATCH", member, { body: { state: "suspended" }, ifMatch: "1" }),
    await owner.call("DELETE", member),
    await owner.call("POST", `/workspaces/${workspaceId}/members`, { body: { user_id: leaver.userId } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 204, 200, 201, 200, 204, 201]);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  await running.database.writer.use(sweepInvitations);
  for (const statement of [...statements.values(), ...seen.recorded.slice(-2)])
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("time is recorded, corrected, voided, added up and exported by an index", async () => {
  const { home, projectId, task } = seen.loaded;
  const { owner } = home;
  seen.recorded = [];
  const body = { duration: "1h", work_date: "2026-05-04" };
  const { id } = (await owner.call("POST", `/tasks/${task.id}/time-entries`, { body, key: newKey() })).body;
  const answers = [
    await owner.call("PATCH", `/time-entries/${id}`, { body: { duration: "2h" }, ifMatch: "1", key: newKey() }),
    await owner.call("DELETE", `/time-entries/${id}`),
    await owner.call("GET", `/tasks/${task.id}/time-totals`),
    await owner.call("GET", `/projects/${projectId}/time-totals?${WINTER}`),
    await owner.call("GET", `/timesheets/me/export?${WINTER}`),
    await owner.call("GET", "/workspace/time-tracking"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 204, 200, 200, 200, 200]);
  await expectNoFaults();
});

test("an attachment, its upload and what it is attached to are found by an index", async () => {
  const { home, projectId } = seen.loaded;
  const { owner } = home;
  const task = await newTask(owner, projectId);
  const empty = await newProject(home);
  seen.recorded = [];
  for (const place of [`/tasks/${task.id}`, `/projects/${empty.id}`]) {
    const { id } = await newAttached(owner, place);
    const answers = [
      await owner.call("GET", `/attachments/${id}`),
      await owner.call("POST", `/attachments/${id}/download`),
      await owner.call("DELETE", `/attachments/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 204]);
  }
  await expectNoFaults();
});

test("what somebody works on, may work on and thinks of suggestions is found by an index", async () => {
  const { home, reader, projectId, task } = seen.loaded;
  const { id } = await newTask(home.owner, projectId, { assignee_actor_id: home.owner.actorId });
  seen.recorded = [];
  for (const person of [home.owner, reader]) {
    const feedback = `/workspaces/${home.workspaceId}/tasks/${task.id}/suggestion-feedback`;
    const about = { kind: "related_task", subject_id: id, verdict: "dismissed" };
    const answers = [
      await person.call("PUT", "/me/current-work", { body: { task_id: id } }),
      await person.call("GET", "/me/current-work"),
      await person.call("GET", "/me/current-work/candidates"),
      await person.call("POST", feedback, { body: about }),
      await person.call("DELETE", "/me/current-work"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 204]);
  }
  await expectNoFaults();
});

test("what is told of an event, and what is sent of it, is found by an index", async () => {
  const { home, reader, projectId } = seen.loaded;
  const { workspaceId, owner } = home;
  await tellEvents(running.database);
  const text = { description_markdown: `@${owner.userId}` };
  const { id, revision } = await newTask(reader, projectId, { assignee_actor_id: owner.actorId, ...text });
  const comment = await newComment(reader, id, `@${owner.userId}`);
  const inReview = "select id from statuses where workspace_id = $1 and name = 'In Review'";
  const [review] = await running.sql<{ id: string }>(inReview, [workspaceId], workspaceId);
  const moved = { body: { status_id: review?.id }, ifMatch: revision };
  expect((await reader.call("PATCH", `/tasks/${id}`, moved)).status).toBe(200);
  expect((await reader.call("DELETE", `/comments/${comment.id}`)).status).toBe(204);
  const told = { markdown: `@${owner.userId} [x](svc:person/${owner.actorId})` };
  const document = await newDocument(home, { title: "Told", project_id: projectId, ...told }, reader);
  const anew = { body: { markdown: `${told.markdown}!` }, headers: { "if-match": "*" } };
  expect((await reader.call("PUT", `/documents/${document.id}/markdown`, anew)).status).toBe(200);
  seen.recorded = [];
  await tellEvents(running.database);
  await claimDigests(running.database);
  const one = { id: newId(), workspace_id: workspaceId, actor_id: owner.actorId };
  const outside = {} as Parameters<typeof mailDigest>[1];
  await mailDigest(running.database, outside, one, 1);
  await pushItems(running.database, outside, { ...one, endpoint_id: newId(), item_ids: [newId()] }, 1);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(8);
  for (const statement of statements.values())
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("a command, its effects and everything that undoing it touches are found by an index", async () => {
  const { home, projectId, task } = seen.loaded;
  const { workspaceId, owner } = home;
  const other = await newProject(home);
  const { id, revision } = await newTask(owner, projectId);
  const comment = await newComment(owner, id);
  const key = newKey();
  const text = { description_markdown: "Changed", priority: "low" };
  const label = { body: { name: newId() } };
  const { id: labelId } = (await owner.call("POST", `/workspaces/${workspaceId}/label-definitions`, label)).body;
  const writes = [
    await owner.call("PATCH", `/tasks/${id}`, { body: text, ifMatch: revision, key }),
    await owner.call("POST", `/tasks/${id}/move`, { body: { project_id: other.id }, ifMatch: "2" }),
    await owner.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Changed" }, ifMatch: "1" }),
    await owner.call("PUT", `/task/${id}/labels`, { body: { label_ids: [labelId] }, headers: { "if-match": "*" } }),
    await owner.call("PUT", `/tasks/${task.id}/subscription`),
  ];
  seen.recorded = [];
  for (const write of writes.toReversed()) expect((await undo(owner, commandOf(write))).status).toBe(200);
  expect((await redo(owner, commandOf(writes[0] as (typeof writes)[0]))).status).toBe(200);
  expect((await owner.call("GET", `/workspaces/${workspaceId}/operation-receipts/${key}`)).status).toBe(200);
  await expectNoFaults();
});
