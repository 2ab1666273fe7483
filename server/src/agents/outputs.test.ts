// What the curated Agents give back without a model: lists of facts, and they say that it was none.
import { expect, test } from "vitest";
import { curatedIds, enabled, ofRun, ran } from "../../test/agent-runs.ts";
import { newProject, newTask } from "../../test/work.ts";
import { service, world } from "../../test/world.ts";

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
  expect(notes.outputs).toMatchObject([
    { kind: "document_draft", text: `# Release notes (draft)\n- Cut gears [${task.code}]` },
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
    ...{ title: "Zahnräder", due_date: "2026-01-02", assignee_actor_id: ada.actorId },
  });
  const agent = await enabled(ada, home, curatedIds.overdue);
  const run = await ran(ada, home, agent);
  const [asked] = await ofRun(ada, home, agent, run, "actions");
  expect(asked).toMatchObject({ target: late.code, preview: expect.stringContaining("Das war am 2026-01-02 fällig.") });
  const [output] = await ofRun(ada, home, agent, run, "outputs");
  expect(output.text).toContain("## Nachgefragt wurde nach");
});
