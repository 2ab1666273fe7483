// Undoing and redoing commands: everything that can be taken back, there and back again, and who may.
import { expect, test } from "vitest";
import { commandOf, redo, thereAndBack, undo } from "../../../test/commands.ts";
import { newEntry } from "../../../test/time.ts";
import { eventsOf, newComment, newMilestone, newProject, newProjectStatus, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  const { items } = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/statuses`)).body;
  const status = (wanted: string) => items.find(({ name }: { name: string }) => name === wanted).id as string;
  return { home, owner: home.owner, project, other, status };
}
const any = { headers: { "if-match": "*" } };
const reading = (person: Person, path: string) => async () => (await person.call("GET", path)).body;
const patch = (person: Person, id: string, body: object) => person.call("PATCH", `/tasks/${id}`, { body, ...any });
const label = async ({ owner }: World, path: string) =>
  (await owner.call("POST", `${path}/label-definitions`, { body: { name: newKey().slice(-12) } })).body.id as string;

test("every field of a Task that a change sets is put back, with the times that its Status gave it, and set again", async () => {
  const { home, owner, project, status } = await workshop();
  const [one, two] = [await newMilestone(owner, project.id), await newMilestone(owner, project.id)];
  const { actorId } = await home.member("member");
  const was = { milestone_id: one.id, status_id: status("In Progress"), assignee_actor_id: owner.actorId };
  const texts = { description_markdown: "Brass", start_date: "2026-05-04", due_date: "2026-05-05" };
  const task = await newTask(owner, project.id, { ...was, ...texts });
  const read = reading(owner, `/tasks/${task.id}`);
  await thereAndBack(owner, read, () =>
    patch(owner, task.id, {
      title: "Other",
      description_markdown: "Steel",
      priority: "urgent",
      status_id: status("Backlog"),
      assignee_actor_id: actorId,
      milestone_id: two.id,
      start_date: "2026-06-01",
      due_date: "2026-07-01",
      position: 77,
    }),
  );
  await thereAndBack(owner, read, () => patch(owner, task.id, { status_id: status("Done"), milestone_id: null }));
  await thereAndBack(owner, read, () => patch(owner, task.id, { description_markdown: "", due_date: null }));
  // Each time somebody was assigned anew, and nothing of it is erased.
  const { items } = (await owner.call("GET", `/tasks/${task.id}/assignments`)).body;
  expect(items.map(({ closed_at }: { closed_at: string | null }) => closed_at === null)).toEqual([
    true,
    ...Array(items.length - 1).fill(false),
  ]);
  expect(items.length).toBe(5);
});

test("starting, trashing, restoring, creating and duplicating a Task are undone and redone", async () => {
  const { home, owner, project, status } = await workshop();
  const task = await newTask(owner, project.id, { status_id: status("Todo") });
  const path = `/tasks/${task.id}`;
  const read = reading(owner, path);
  const post = (what: string) => owner.call("POST", `${path}/${what}`, { key: newKey(), ...any });
  await thereAndBack(owner, read, () => post("start"));
  await thereAndBack(owner, read, () => post("trash"));
  await post("trash");
  await thereAndBack(owner, read, () => post("restore"));
  await post("restore");
  await patch(owner, task.id, { description_markdown: "Text" });
  const [text] = (await owner.call("GET", `${path}/description-revisions`)).body.items;
  await thereAndBack(owner, read, () =>
    owner.call("POST", `${path}/description-revisions/${text.revision}/restore`, any),
  );
  const token = await home.token();
  const made = [
    await owner.bearer(token, "POST", `/projects/${project.id}/tasks`, { body: { title: "New" }, key: newKey() }),
    await owner.call("POST", `${path}/duplicate`, { key: newKey() }),
  ];
  for (const answer of made) {
    const trashed = async () => (await owner.call("GET", `/tasks/${answer.body.id}`)).body.trashed_at !== null;
    await patch(owner, answer.body.id, { title: "Worked on since" });
    const command = commandOf(answer);
    expect((await undo(owner, command)).body.effects).toEqual([
      {
        action: "task.trashed",
        type: "task.trashed",
        kind: "task",
        resource_type: "task",
        resource_id: answer.body.id,
        code: answer.body.code,
      },
    ]);
    expect(await trashed()).toBe(true);
    expect((await redo(owner, command)).status).toBe(200);
    expect(await trashed()).toBe(false);
  }
});

test("a move is undone under the old number, with the Milestone, labels and Status of that Project, and redone under the new one", async () => {
  const { home, owner, project, other } = await workshop();
  const [milestone, milling] = [
    await newMilestone(owner, project.id),
    await newProjectStatus(running, home, project.id, "Milling"),
  ];
  const task = await newTask(owner, project.id, { milestone_id: milestone.id, status_id: milling });
  const [wide, own] = [
    await label(home, `/workspaces/${home.workspaceId}`),
    await label(home, `/projects/${project.id}`),
  ];
  const labels = [own, wide];
  await owner.call("PUT", `/task/${task.id}/labels`, { body: { label_ids: labels }, ...any });
  const read = reading(owner, `/tasks/${task.id}`);
  const move = (project_id: string) => owner.call("POST", `/tasks/${task.id}/move`, { body: { project_id }, ...any });
  await thereAndBack(owner, read, () => move(other.id));
  const { code, number, milestone_id, label_ids, status_id, project_id } = await read();
  const { id, revision: _, ...place } = task;
  expect({ code, number, milestone_id, status_id, project_id }).toEqual({
    code: place.code,
    number: place.number,
    milestone_id: milestone.id,
    status_id: milling,
    project_id: project.id,
  });
  expect(label_ids).toEqual(labels);
  // Both codes are its own for ever, and no other Task gets either; further moves leave them behind as before.
  expect((await newTask(owner, other.id)).number).toBe(2);
  expect((await newTask(owner, project.id)).number).toBe(2);
  for (const old of [code, `${other.key}-1`])
    expect((await owner.call("GET", `/workspaces/${home.workspaceId}/tasks/${old}`)).body.id).toBe(id);
  const moved = await move(other.id);
  expect([moved.status, moved.body.number]).toEqual([200, 3]);
  // A label that is deleted meanwhile is left out; what was changed there is in the way.
  await owner.call("DELETE", `/label-definitions/${own}`);
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "Renamed there" }, ...any });
  expect((await undo(owner, commandOf(moved))).status).toBe(200);
  expect(await read()).toMatchObject({ code, title: "Renamed there", label_ids: [wide], milestone_id: milestone.id });
  const again = await move(other.id);
  await patch(owner, task.id, { status_id: (await newTask(owner, other.id)).status_id });
  const refused = await undo(owner, commandOf(again));
  expect([refused.body.code, refused.body.errors]).toEqual([
    "undo_conflict",
    [{ pointer: "/effects/0/status_id", code: "moved_on", detail: expect.any(String) }],
  ]);
  await owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, ...any });
  expect((await undo(owner, commandOf(again))).body.errors[0].code).toBe("project_archived");
});

test("relations, labels and following are undone and redone", async () => {
  const { home, owner, project, other } = await workshop();
  const [one, two] = [await newTask(owner, project.id), await newTask(owner, other.id)];
  const path = `/tasks/${one.id}/relations`;
  const relations = async () => {
    const { items } = (await owner.call("GET", path)).body;
    return items.map(({ id, type, related_task }: { id: string; type: string; related_task: { id: string } }) => [
      id,
      type,
      related_task.id,
    ]);
  };
  const relate = (type: string) => owner.call("POST", path, { body: { type, related_task_id: two.id } });
  await thereAndBack(owner, relations, () => relate("blocked_by"));
  const { id } = (await relate("duplicates")).body;
  const turn = (type: string) =>
    owner.call("PATCH", `/task-relations/${id}`, { body: { type, task_id: one.id }, ...any });
  await thereAndBack(owner, relations, () => turn("child_of"));
  const remove = () => owner.call("DELETE", `/task-relations/${id}`);
  await thereAndBack(owner, relations, remove);
  const turned = commandOf(await turn("blocks"));
  await turn("parent_of");
  expect((await undo(owner, turned)).body.errors[0].code).toBe("moved_on");
  const removed = commandOf(await remove());
  expect((await undo(owner, turned)).body.errors[0].code).toBe("not_found");
  await relate("child_of");
  // What would be a circle is none through undoing either.
  expect((await undo(owner, removed)).body.errors[0].code).toBe("relation_cycle");

  const labels = [await label(home, `/workspaces/${home.workspaceId}`), await label(home, `/projects/${project.id}`)];
  const put = (label_ids: string[], target = `task/${one.id}`) =>
    owner.call("PUT", `/${target}/labels`, { body: { label_ids }, ...any });
  const bearing = (target: string) => reading(owner, `/${target}/labels`);
  await thereAndBack(owner, bearing(`task/${one.id}`), () => put(labels));
  const full = commandOf(await put(labels));
  const empty = commandOf(await put([]));
  await owner.call("DELETE", `/label-definitions/${labels[0]}`);
  expect((await undo(owner, empty)).status).toBe(200);
  expect((await bearing(`task/${one.id}`)()).label_ids).toEqual([labels[1]]);
  await put([]);
  expect((await undo(owner, full)).body.errors[0].pointer).toBe("/effects/0/label_ids");

  const reader = await home.member("viewer");
  const own = `/tasks/${one.id}/subscription`;
  const state = async () => (await reader.call("GET", own)).body.state;
  await thereAndBack(reader, state, () => reader.call("PUT", own));
  await reader.call("PUT", own);
  await thereAndBack(reader, state, () => reader.call("PUT", `${own}/mute`));
  const followed = commandOf(await reader.call("PUT", `${own}/mute`));
  await reader.call("DELETE", own);
  expect((await undo(reader, followed)).body.errors[0].code).toBe("moved_on");
});

test("comments, reactions and recorded time are undone, and redone where nothing is gone for good", async () => {
  const { home, owner, project } = await workshop();
  const task = await newTask(owner, project.id);
  const comment = await newComment(owner, task.id, "First");
  const path = `/comments/${comment.id}`;
  const read = reading(owner, path);
  const edit = (markdown: string) => owner.call("PATCH", path, { body: { markdown }, ...any });
  await thereAndBack(owner, read, () => edit("Second"));
  const second = commandOf(await edit("Second"));
  await edit("Third");
  expect((await undo(owner, second)).body.errors[0]).toMatchObject({
    pointer: "/effects/0/markdown",
    code: "moved_on",
  });
  await edit("Second");
  expect((await undo(owner, second)).status).toBe(200);
  const heart = `${path}/reactions/heart`;
  await thereAndBack(owner, read, () => owner.call("PUT", heart));
  await owner.call("PUT", heart);
  await thereAndBack(owner, read, () => owner.call("DELETE", heart));
  const loved = commandOf(await owner.call("PUT", `${path}/reactions/tada`));
  await owner.call("DELETE", `${path}/reactions/tada`);
  expect((await undo(owner, loved)).body.errors[0].pointer).toBe("/effects/0/reaction");

  const said = await owner.call("POST", `/tasks/${task.id}/comments`, { body: { markdown: "Hm" }, key: newKey() });
  const created = commandOf(said);
  const own = `/comments/${said.body.id}`;
  await owner.call("PATCH", own, { body: { markdown: "Hm?" }, ...any });
  expect((await undo(owner, created)).body.code).toBe("undo_conflict");
  await owner.call("PATCH", own, { body: { markdown: "Hm" }, ...any });
  expect((await undo(owner, created)).status).toBe(200);
  expect((await owner.call("GET", own)).body).toMatchObject({ markdown: "", deleted_at: expect.any(String) });
  expect((await redo(owner, created)).body.code).toBe("not_undoable");
  expect((await undo(owner, commandOf(await owner.call("DELETE", path)))).body.code).toBe("not_undoable");
  expect((await undo(owner, second)).body.code).toBe("already_undone");

  const entries = async () => {
    const { items } = (await owner.call("GET", `/tasks/${task.id}/time-entries`)).body;
    const totals = (await owner.call("GET", `/tasks/${task.id}/time-totals`)).body.seconds;
    return { items, totals };
  };
  const { id } = await newEntry(owner, task.id, { note: "Gears" });
  const entry = `/time-entries/${id}`;
  const correct = (body: object) => owner.call("PATCH", entry, { body, key: newKey(), ...any });
  await thereAndBack(owner, entries, () => correct({ duration: "2h", note: null }));
  await thereAndBack(owner, entries, () => owner.call("DELETE", entry));
  const recorded = await owner.call("POST", `/tasks/${task.id}/time-entries`, {
    body: { duration: "30m", work_date: "2026-05-04" },
    key: newKey(),
  });
  expect((await undo(owner, commandOf(recorded))).status).toBe(200);
  expect((await entries()).totals).toBe(3600);
  expect((await redo(owner, commandOf(recorded))).status).toBe(200);
  expect((await entries()).totals).toBe(5400);
  const corrected = commandOf(await correct({ duration: "3h" }));
  await correct({ note: "Other" });
  expect((await undo(owner, corrected)).status).toBe(200);
  await owner.call("DELETE", entry);
  expect((await redo(owner, corrected)).body.errors[0].code).toBe("time_entry_voided");
  expect(await eventsOf(running, home, id)).toHaveLength(13);
  // The time of a Task that is deleted stays, and what was told of it does not.
  await owner.call("POST", `/tasks/${task.id}/trash`, any);
  expect((await owner.call("DELETE", `/tasks/${task.id}`)).status).toBe(204);
  for (const write of [commandOf(recorded), second, corrected])
    expect((await (write === corrected ? redo : undo)(owner, write)).status).toBe(409);
});

test("a change of a hundred Tasks is undone as a whole or not at all, each to what it was", async () => {
  const { home, owner, project, status } = await workshop();
  const first = await newTask(owner, project.id);
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id, priority,
     due_date)
     select workspace_id, gen_random_uuid(), project_id, number + n, title,
       case n % 2 when 0 then status_id else $2::uuid end, n,
       created_by_actor_id, case n % 3 when 0 then 'low' else 'none' end, case n % 4 when 0 then date '2026-05-04' end
     from tasks t, generate_series(1, 99) n where t.id = $1`,
    [first.id, status("Backlog")],
    home.workspaceId,
  );
  const read = async () => (await owner.call("GET", `/projects/${project.id}/tasks?limit=100`)).body.items;
  const tasks = (await read()) as { id: string }[];
  const changes = { priority: "high", status_id: status("Done"), assignee_actor_id: owner.actorId, due_date: null };
  const body = { task_ids: tasks.map(({ id }) => id), changes };
  const bulk = () => owner.call("POST", `/workspaces/${home.workspaceId}/tasks/bulk`, { body });
  const command = await thereAndBack(owner, read, bulk);
  expect((await redo(owner, command)).body).toMatchObject({ resource_id: null, state: "committed" });
  const [moved] = tasks.slice(50) as [{ id: string }];
  await patch(owner, moved.id, { priority: "urgent" });
  const before = await read();
  const refused = await undo(owner, command);
  expect([refused.status, refused.body.errors.length, refused.body.errors[0].code]).toEqual([409, 1, "moved_on"]);
  expect(await read()).toEqual(before);
});
