// What is shown of a Project, its order, its states and its labels before the answer is what the service answers.
import { createClient } from "@svc/client";
import { expect, test } from "vitest";
import { newProject, workshopOn } from "../../../server/test/work.ts";
import { service, sessionHeaders } from "../../../server/test/world.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import type { AnyRow } from "../store/rows.ts";
import { partId, projectPartsDomain } from "./members-and-labels.ts";
import { allOf, orderedProjects, projectsDomain } from "./operations.ts";

const running = service();
const operations = { ...projectsDomain.operations, ...projectPartsDomain.operations } as Record<string, unknown>;

async function bench() {
  const { owner, project, workspaceId, home } = await workshopOn(running);
  const api = createClient({ url: running.url, workspaceId, headers: sessionHeaders(owner.session) });
  /** What is shown of the row, and what the service answers. */
  async function both(operation: string, row: AnyRow | undefined, input: object, guess: object = {}) {
    const { apply, unmatched } = operations[operation] as never as {
      apply: (row: AnyRow | undefined, change: QueuedChange, id: string) => Record<string, unknown>;
      unmatched?: true;
    };
    const change = { input, guess, creates: row ? null : "new-1", madeAt: Date.now() } as QueuedChange;
    const shown = apply(row, change, row?.id ?? "new-1");
    const call = api[operation as "updateProject"] as unknown as (input: object, options: object) => Promise<object>;
    return { shown, answer: (await call(input, row && !unmatched ? { at: row } : {})) as Record<string, unknown> };
  }
  return { home, project, workspace_id: workspaceId, api, both };
}
const of = (row: Record<string, unknown>, ...names: string[]) => names.map((name) => row[name]);

test("a Project is changed and archived", async () => {
  const { project, both } = await bench();
  const fields = { name: "New", icon: "⚙", color: "red", visibility: "private", target_date: "2027-03-31" };
  const { shown, answer } = await both("updateProject", project, { project_id: project.id, ...fields });
  expect(of(shown, ...Object.keys(fields))).toEqual(of(answer, ...Object.keys(fields)));
  const archived = await both("updateProject", answer as never, { project_id: project.id, archived: true });
  expect([archived.shown.archived_at, archived.answer.archived_at].map((at) => at !== null)).toEqual([true, true]);
});

test("the order of Projects is as the service lists it after each move", async () => {
  const { home, project, workspace_id, api } = await bench();
  const [two, three] = [await newProject(home), await newProject(home)];
  const { apply } = operations.moveProject as never as {
    apply: (row: object, change: object) => { ids: string[] };
  };
  for (const [project_id, after_id] of [
    [three.id, null],
    [project.id, two.id],
    [three.id, two.id],
  ]) {
    const [row] = (await orderedProjects(api, workspace_id)).project_order;
    const input = { project_id, after_id };
    const shown = apply(row as object, { input });
    await api.moveProject(input as never);
    expect(shown.ids).toEqual((await orderedProjects(api, workspace_id)).project_order[0]?.ids);
  }
});

test("states of Projects, Statuses and labels of one Project are made, changed, moved and deleted", async () => {
  const { project, workspace_id, api, both } = await bench();
  const fields = ["name", "category", "color"];
  const made = await both("createProjectState", undefined, { workspace_id, name: "On hold", category: "started" });
  expect(of(made.shown, ...fields)).toEqual(of(made.answer, ...fields));
  const state = made.answer as unknown as { id: string; revision: string };
  const renamed = await both("updateProjectState", state, { state_id: state.id, name: "Paused", color: "red" });
  expect(of(renamed.shown, ...fields)).toEqual(of(renamed.answer, ...fields));
  const position = -1;
  const moved = await both(
    "moveProjectState",
    renamed.answer as never,
    { state_id: state.id, after_id: null },
    { position },
  );
  const started = (await allOf(api.listProjectStates({ workspace_id }))).filter(
    ({ category }) => category === "started",
  );
  expect([started[0]?.id, moved.shown.position]).toEqual([state.id, position]);
  const gone = await both("deleteProjectState", moved.answer as never, { state_id: state.id });
  expect(gone.shown).toBeUndefined();
  const input = { project_id: project.id, name: "In the workshop", category: "started" };
  const status = await both("createProjectStatus", undefined, input);
  expect(of(status.shown, ...fields, "project_id")).toEqual(of(status.answer, ...fields, "project_id"));
  const label = await both("createProjectLabel", undefined, { project_id: project.id, name: "Brass", color: "red" });
  const named = ["name", "color", "project_id", "purpose", "description"];
  expect(of(label.shown, ...named)).toEqual(of(label.answer, ...named));
});

test("members of a Project, and how it shows labels, are as the service answers; they are read again by both ids", async () => {
  const { home, project, workspace_id, api, both } = await bench();
  const { actorId: actor_id } = await home.member("member");
  const project_id = project.id;
  const added = await both("addProjectMember", undefined, { project_id, actor_id, role: "member" });
  const member = ["project_id", "actor_id", "role", "state"];
  expect(of(added.shown, ...member)).toEqual(of(added.answer, ...member));
  const row = { ...added.answer, id: partId(project_id, actor_id) } as never;
  const changed = await both("updateProjectMember", row, { project_id, actor_id, role: "viewer" });
  expect(of(changed.shown, ...member)).toEqual(of(changed.answer, ...member));
  const again = (kind: "project_member" | "label_override", id: string) => projectPartsDomain.read?.[kind]?.(api, id);
  const id = partId(project_id, actor_id);
  expect(await again("project_member", id)).toMatchObject({ project_member: [{ id, role: "viewer" }] });
  expect(await again("project_member", actor_id)).toEqual({});
  await api.removeProjectMember({ project_id, actor_id });
  expect(await again("project_member", id)).toEqual({ gone: { project_member: [id] } });
  const { id: label_id } = await api.createWorkspaceLabel({ workspace_id, name: "Oily", color: "gray" });
  const input = { project_id, label_id, name: "Slippery", color: null, hidden: true };
  const { apply, absent } = operations.replaceLabelOverride as never as {
    apply: (row: undefined, change: object, id: string) => Record<string, unknown>;
    absent: string;
  };
  const at = partId(project_id, label_id);
  const shown = apply(undefined, { input, madeAt: Date.now() }, at);
  const answer = (await api.replaceLabelOverride(input, { at: absent })) as unknown as Record<string, unknown>;
  expect(of(shown, ...Object.keys(input))).toEqual(of(answer, ...Object.keys(input)));
  expect(await again("label_override", at)).toMatchObject({ label_override: [{ id: at, name: "Slippery" }] });
  await api.deleteLabelOverride({ project_id, label_id });
  expect(await again("label_override", at)).toEqual({ gone: { label_override: [at] } });
});

test("a deleted Project is gone", async () => {
  const { project, both, api } = await bench();
  const { shown } = await both("deleteProject", project, { project_id: project.id });
  expect(shown).toBeUndefined();
  await expect(projectsDomain.read?.project?.(api, project.id)).resolves.toEqual({ gone: { project: [project.id] } });
});
