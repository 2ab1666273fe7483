// What is shown before the answer is what the service answers: each operation's `apply` against the real one.
import { createClient } from "@svc/client";
import { describe, expect, test } from "vitest";
import { newMilestone, newProject, newTask, workshopOn } from "../../../server/test/work.ts";
import { service, sessionHeaders } from "../../../server/test/world.ts";
import type { Operation } from "../store/domain.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import type { Status, Task } from "../store/rows.ts";
import { tasksDomain } from "./operations.ts";

const running = service();

async function bench() {
  const { owner, project, workspaceId, home } = await workshopOn(running);
  const api = createClient({ url: running.url, workspaceId, headers: sessionHeaders(owner.session) });
  const { items: statuses } = await api.listProjectStatuses({ project_id: project.id });
  const status = (category: string) => statuses.find((each) => each.category === category) as Status;
  /** What `apply` makes of the row, and what the service makes of it. */
  async function both(operation: string, row: Task | undefined, input: Record<string, unknown>, guess: object = {}) {
    const { apply } = (tasksDomain.operations as Record<string, Operation<Task>>)[operation] as Operation<Task>;
    const change = { input, guess, creates: row ? null : "new-1", madeAt: Date.now() } as QueuedChange;
    const shown = apply(row, change, row?.id ?? "new-1");
    const call = api[operation as "updateTask"] as unknown as (input: object, options: object) => Promise<Task>;
    return { shown: shown as Task, answer: await call(input, row ? { at: row } : {}) };
  }
  const read = async (id: string) => (await api.getTask({ task_id: id })) as unknown as Task;
  return { owner, project, workspaceId, home, api, status, both, read };
}
/** What only the service knows; moments are compared by whether there is one. */
const known = ({ id: _, revision: __, number: ___, code: ____, capabilities: _____, ...task }: Task) => ({
  ...task,
  description_markdown: task.description_markdown ?? "",
  ...Object.fromEntries(
    (["created_at", "updated_at", "started_at", "completed_at", "trashed_at"] as const).map((name) => [
      name,
      task[name] !== null,
    ]),
  ),
});

describe("updateTask", () => {
  test("every plain field", async () => {
    const { owner, project, both, home } = await bench();
    const task = await newTask(owner, project.id);
    const { actorId } = await home.member("member");
    const fields = { title: "New", description_markdown: "*x*", priority: "high", assignee_actor_id: actorId };
    const dates = { start_date: "2026-11-16", due_date: "2026-12-24" };
    const { shown, answer } = await both("updateTask", task, { task_id: task.id, ...fields, ...dates });
    expect(known(shown)).toEqual(known(answer));
  });

  for (const category of ["started", "completed", "cancelled", "backlog"])
    test(`another Status, which is ${category}: the times follow, and it comes first`, async () => {
      const { owner, project, both, status, read } = await bench();
      const other = await newTask(owner, project.id, { status_id: status(category).id });
      const task = await newTask(owner, project.id);
      const guess = { category, position: (await read(other.id)).position - 1 };
      const { shown, answer } = await both(
        "updateTask",
        task,
        { task_id: task.id, status_id: status(category).id },
        guess,
      );
      expect(known({ ...shown, position: 0 })).toEqual(known({ ...answer, position: 0 }));
      expect(answer.position).toBeLessThan(other.position);
      expect(shown.position).toBeLessThan(other.position);
    });

  test("a place between two others", async () => {
    const { owner, project, both } = await bench();
    const [c, b, a] = [
      await newTask(owner, project.id),
      await newTask(owner, project.id),
      await newTask(owner, project.id),
    ];
    const guess = { position: (b.position + c.position) / 2 };
    const { shown, answer } = await both("updateTask", a, { task_id: a.id, after_task_id: b.id }, guess);
    for (const { position } of [shown, answer]) {
      expect(position).toBeGreaterThan(b.position);
      expect(position).toBeLessThan(c.position);
    }
    expect(known({ ...shown, position: 0 })).toEqual(known({ ...answer, position: 0 }));
  });
});

test("createTask: all that a form can give it", async () => {
  const { owner, project, workspaceId, both, status } = await bench();
  const input = {
    project_id: project.id,
    title: "New",
    priority: "low",
    due_date: "2026-12-24",
    status_id: status("started").id,
  };
  const guess = { category: "started", position: 0, created_by_actor_id: owner.actorId, workspace_id: workspaceId };
  const { shown, answer } = await both("createTask", undefined, input, guess);
  expect(known({ ...shown, position: 0 })).toEqual(known({ ...answer, position: 0 }));
});

test("moveTask: into another Project, without its Milestone and the labels of the old one", async () => {
  const { owner, project, workspaceId, home, both, api } = await bench();
  const [wide, own] = await Promise.all([
    api.createWorkspaceLabel({ workspace_id: workspaceId, name: "Bug" }),
    api.createProjectLabel({ project_id: project.id, name: "Brass" }),
  ]);
  const milestone = await newMilestone(owner, project.id);
  const task = await newTask(owner, project.id, { label_ids: [wide.id, own.id], milestone_id: milestone.id });
  const other = await newProject(home);
  const { shown, answer } = await both(
    "moveTask",
    task,
    { task_id: task.id, project_id: other.id },
    { label_ids: [wide.id] },
  );
  expect(known({ ...shown, position: 0 })).toEqual(known({ ...answer, position: 0 }));
});

test("duplicateTask: what a new Task has of the old one", async () => {
  const { owner, project, workspaceId, both, status } = await bench();
  const fields = { title: "Cut", description_markdown: "*x*", priority: "high" as const, due_date: "2026-12-24" };
  const task = await newTask(owner, project.id, { ...fields, status_id: status("started").id });
  const guess = {
    category: "unstarted",
    created_by_actor_id: owner.actorId,
    workspace_id: workspaceId,
    fields: { ...fields, project_id: project.id, status_id: status("unstarted").id },
  };
  const { shown, answer } = await both("duplicateTask", undefined, { task_id: task.id }, guess);
  expect(known({ ...shown, project_id: project.id, position: 0 })).toEqual(known({ ...answer, position: 0 }));
});

test("trashTask and restoreTask", async () => {
  const { owner, project, both } = await bench();
  const task = await newTask(owner, project.id);
  const trashed = await both("trashTask", task, { task_id: task.id });
  expect(known(trashed.shown)).toEqual(known(trashed.answer));
  const restored = await both("restoreTask", trashed.answer, { task_id: task.id });
  expect(known({ ...restored.shown, position: 0 })).toEqual(known({ ...restored.answer, position: 0 }));
});

test("updateTasks: labels are added and taken off, and the rest is as for one", async () => {
  const { owner, project, workspaceId, both, status, read, api } = await bench();
  const [bug, old] = await Promise.all(
    ["Bug", "Old"].map((name) => api.createWorkspaceLabel({ workspace_id: workspaceId, name })),
  );
  const task = await newTask(owner, project.id, { label_ids: [old?.id] });
  const changes = {
    priority: "urgent",
    status_id: status("completed").id,
    add_label_ids: [bug?.id],
    remove_label_ids: [old?.id],
  };
  const input = { workspace_id: workspaceId, task_ids: [task.id], changes };
  const { shown } = await both("updateTasks", task, input, { category: "completed" });
  expect(known({ ...shown, position: 0 })).toEqual(known({ ...(await read(task.id)), position: 0 }));
  const trashed = await both("updateTasks", shown, { ...input, changes: { trashed: true } });
  expect(trashed.shown.trashed_at !== null).toBe((await read(task.id)).trashed_at !== null);
});
