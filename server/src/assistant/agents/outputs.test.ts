// Outputs of the curated Agents without a model: lists of facts, marked as limited.
import { expect, test } from "vitest";
import { curatedIds, decide, enabled, ofRun, ran, runsOf } from "../../../test/agent-runs.ts";
import { eventually } from "../../../test/eventually.ts";
import { joinProject, newProject, newTask } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";

const running = service({ roles: ["api", "worker"] });
const at = async () => {
  const home = await world(running);
  return { home, ada: home.owner, project: await newProject(home) };
};

test("without a model the curated ones make lists of facts", async () => {
  const { home, ada, project } = await at();
  const [done] = (await ada.call("GET", `/projects/${project.id}/statuses`)).body.items.filter(
    ({ category }: { category: string }) => category === "completed",
  );
  const task = await newTask(ada, project.id, { title: "Cut gears" });
  await ada.call("PATCH", `/tasks/${task.id}`, { body: { status_id: done.id }, ifMatch: task.revision });
  const outputOf = async (id: string, body: object = {}) => {
    const agent = await enabled(ada, home, id);
    const run = await ran(ada, home, agent, body);
    expect(run.limited).toBe(true);
    return {
      outputs: await ofRun(ada, home, agent, run, "outputs"),
      actions: await ofRun(ada, home, agent, run, "actions"),
    };
  };
  const summary = await outputOf(curatedIds.dailySummary);
  expect(summary.outputs).toMatchObject([{ kind: "text", resource: { kind: "project", id: project.id } }]);
  expect(summary.outputs[0].text).toContain(`## Done\n- ${task.code} Cut gears`);
  const notes = await outputOf(curatedIds.releaseNotes);
  expect(notes.outputs).toMatchObject([{ kind: "text", text: expect.stringContaining(project.key) }]);
  expect(notes.actions).toMatchObject([
    {
      kind: "create_document",
      target: project.key,
      state: "waiting",
      preview: `title: Release notes (draft)\nmarkdown: - Cut gears [${task.code}]`,
    },
  ]);
  const meeting = await newTask(ada, project.id, {
    title: "Meeting",
    description_markdown: "We met.\n\n- [ ] Order brass\n- Nothing",
  });
  const found = await outputOf(curatedIds.meetingNotes, { task_id: meeting.id });
  expect(found.actions).toMatchObject([
    { kind: "create_task", target: project.key, preview: "title: Order brass", state: "waiting" },
  ]);
  const twin = await newTask(ada, project.id, { title: "Cut gears" });
  const looked = await outputOf(curatedIds.triage, { task_id: twin.id });
  expect(looked.outputs[0].text).toContain(twin.code);
});

test("in the language of whoever it runs for", async () => {
  const { home, ada, project } = await at();
  await running.asOwner("update users set locale = 'de-AT' where id = $1", [ada.userId]);
  const late = await newTask(ada, project.id, {
    title: "Zahnräder",
    due_date: "2026-01-02",
    assignee_actor_id: ada.actorId,
  });
  const agent = await enabled(ada, home, curatedIds.overdue);
  const run = await ran(ada, home, agent);
  const [asked] = await ofRun(ada, home, agent, run, "actions");
  expect(asked).toMatchObject({ target: late.code, preview: expect.stringContaining("Das war am 2026-01-02 fällig.") });
  const [output] = await ofRun(ada, home, agent, run, "outputs");
  expect(output.text).toContain("## Nachgefragt wurde nach");
});

test("release notes go to the end of the Document that names the Agent", async () => {
  const { home, ada, project } = await at();
  const [done] = (await ada.call("GET", `/projects/${project.id}/statuses`)).body.items.filter(
    ({ category }: { category: string }) => category === "completed",
  );
  const task = await newTask(ada, project.id, { title: "Cut gears" });
  await ada.call("PATCH", `/tasks/${task.id}`, { body: { status_id: done.id }, ifMatch: task.revision });
  const agent = await enabled(ada, home, curatedIds.releaseNotes);
  const made = await ada.call("POST", `/workspaces/${home.workspaceId}/documents`, {
    body: { title: "News", project_id: project.id, markdown: `For [us](svc:person/${agent.actor_id}).` },
    key: newKey(),
  });
  expect(made.status, made.text).toBe(201);
  const [run] = await eventually(async () => {
    const found = await runsOf(ada, home, agent);
    expect(found.map(({ state }) => state)).toEqual(["waiting"]);
    return found;
  });
  const [action] = await ofRun(ada, home, agent, run, "actions");
  expect(action).toMatchObject({ kind: "patch_document", target: made.body.path });
  expect(action.preview).toMatch(/^\+- Cut gears/m);
  expect((await decide(ada, home, agent, action)).status).toBe(200);
  await eventually(async () => {
    const { body } = await ada.call("GET", `/documents/${made.body.id}/markdown`);
    expect(body.content_revision).toBe("2");
    expect(body.markdown).toMatch(/^For .*\n\n## Release notes \(draft\)\n\n- Cut gears/);
  });
});

test("what a run gives back and wants is its initiator's as long as all that it could read is open to them", async () => {
  const { home, ada, project } = await at();
  const bob = await home.member("member");
  const hidden = await newProject(home, { visibility: "private" });
  await joinProject(home, hidden.id, bob, "member");
  const task = await newTask(ada, hidden.id, { title: "Secret gears", description_markdown: "- [ ] Order brass" });
  await newTask(ada, project.id, { title: "Open gears" });
  const summary = await enabled(ada, home, curatedIds.dailySummary);
  const meeting = await enabled(ada, home, curatedIds.meetingNotes);
  // About all that he sees, about the Task, and about what everybody sees.
  const wide = await ran(bob, home, summary);
  const about = await ran(bob, home, meeting, { task_id: task.id });
  const read = async () => [
    (await ofRun(bob, home, summary, wide, "outputs")).length,
    (await ofRun(bob, home, meeting, about, "outputs")).length,
    (await ofRun(bob, home, meeting, about, "actions")).length,
  ];
  expect((await read()).map((count) => count > 0)).toEqual([true, true, true]);
  const [action] = await ofRun(bob, home, meeting, about, "actions");
  const member = `/projects/${hidden.id}/members/${bob.actorId}`;
  const left = await ada.call("DELETE", member, { ifMatch: (await ada.call("GET", member)).body.revision ?? "1" });
  expect(left.status, left.text).toBeLessThan(300);
  expect(await read()).toEqual([0, 0, 0]);
  expect((await decide(bob, home, meeting, action)).status).toBe(404);
  // That there was a run is still said; what is made from now on is made of what he sees now.
  expect((await runsOf(bob, home, summary)).map(({ id }) => id)).toEqual([wide.id]);
  const later = await ran(bob, home, summary);
  expect((await ofRun(bob, home, summary, later, "outputs")).length).toBeGreaterThan(0);
  await joinProject(home, hidden.id, bob, "viewer");
  expect((await read()).map((count) => count > 0)).toEqual([true, true, true]);
});
