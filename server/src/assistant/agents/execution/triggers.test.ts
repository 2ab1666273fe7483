// Triggers other than a manual start: each cause starts one run, for whoever caused it; actions of Agents start none.
import { describe, expect, test } from "vitest";
import { curatedIds, custom, decide, enabled, ofRun, ran, runsOf, settled } from "../../../../test/agent-runs.ts";
import { newDocument } from "../../../../test/documents.ts";
import { newProject, newTask } from "../../../../test/work.ts";
import { newKey, service, testConfig, world } from "../../../../test/world.ts";
import { startFromEvents, startOnSchedule } from "./triggers.ts";

const running = service({ roles: ["api", "worker"] });
const at = async () => {
  const home = await world(running);
  const project = await newProject(home);
  return { home, ada: home.owner, bob: await home.member("member"), project };
};
const read = () => startFromEvents(running.database, testConfig.runLimits);
const triggersOf = async (...args: Parameters<typeof runsOf>) => (await runsOf(...args)).map(({ trigger }) => trigger);

describe("an Agent begins once", () => {
  test("when it is mentioned, assigned a Task, or something happens; for whoever did that, or for the publisher", async () => {
    const { home, ada, bob, project } = await at();
    const agent = await custom(ada, home, {
      triggers: [{ kind: "mention" }, { kind: "assignment" }, { kind: "event", action: "task.created" }],
    });
    const task = await newTask(bob, project.id, { title: "New" });
    await Promise.all([read(), read()]);
    expect(await runsOf(ada, home, agent)).toMatchObject([
      { trigger: "event", initiator_actor_id: ada.actorId, task_id: task.id },
    ]);
    const path = `/tasks/${task.id}/comments`;
    const said = await bob.call("POST", path, { body: { markdown: `@${agent.username} look at this` }, key: newKey() });
    await bob.call("PATCH", `/tasks/${task.id}`, {
      body: { assignee_actor_id: agent.actor_id },
      ifMatch: task.revision,
    });
    await read();
    await bob.call("PATCH", `/comments/${said.body.id}`, {
      body: { markdown: `@${agent.username} look at this again` },
      ifMatch: said.body.revision,
    });
    await read();
    expect((await triggersOf(ada, home, agent)).sort()).toEqual(["assignment", "event", "mention"]);
    const byBob = (await runsOf(bob, home, agent)).filter(({ trigger }) => trigger !== "event");
    expect(byBob.map(({ initiator_actor_id }) => initiator_actor_id)).toEqual([bob.actorId, bob.actorId]);
    // Custom ones need a model, and say so.
    expect(await settled(bob, home, agent, byBob[0].id)).toMatchObject({
      state: "failed",
      error_code: "model_required",
    });
  });

  test("when a Document names it, by its name or as a reference; and not again when that is written further", async () => {
    const { home, ada, bob, project } = await at();
    const agent = await custom(ada, home, { triggers: [{ kind: "mention" }] });
    const write = (markdown: string, more: object = {}) =>
      newDocument(home, { title: "Notes", markdown, ...more }, bob);
    const document = await write(`Ask @${agent.username} about it.`, { project_id: project.id });
    await write(`\`@${agent.username}\` is code.`);
    await Promise.all([read(), read()]);
    expect(await runsOf(bob, home, agent)).toMatchObject([{ trigger: "mention", initiator_actor_id: bob.actorId }]);
    const put = await bob.call("PUT", `/documents/${document.id}/markdown`, {
      body: { markdown: `Ask @${agent.username} about it again.` },
      ifMatch: String(document.content_revision),
    });
    expect(put.status, put.text).toBe(200);
    await read();
    expect(await runsOf(bob, home, agent)).toHaveLength(1);
    await write(`[Helper](svc:person/${agent.actor_id}), please.`);
    await read();
    expect(await triggersOf(bob, home, agent)).toEqual(["mention", "mention"]);
  });

  test("at its time, also where the minute is looked at twice; and never for what Agents did", async () => {
    const { home, ada, project } = await at();
    const agent = await custom(ada, home, {
      triggers: [{ kind: "schedule", at: "07:30", timezone: "Europe/Berlin", weekdays: [1] }],
    });
    const other = await custom(ada, home, {
      name: "Other",
      triggers: [{ kind: "event", action: "task.comment.created" }],
    });
    await running.asOwner("update agent_versions set published_at = now() - interval '1 day' where workspace_id = $1", [
      home.workspaceId,
    ]);
    await running.asOwner("update agents set created_at = now() - interval '1 day' where workspace_id = $1", [
      home.workspaceId,
    ]);
    for (const now of ["2026-11-16T06:29:59Z", "2026-11-16T06:30:10Z", "2026-11-16T06:38:00Z", "2026-11-17T06:30:10Z"])
      await startOnSchedule(running.database, testConfig.runLimits, new Date(now));
    expect(await runsOf(ada, home, agent)).toMatchObject([{ trigger: "schedule", initiator_actor_id: ada.actorId }]);
    const follow = await enabled(ada, home, curatedIds.overdue);
    const late = await newTask(ada, project.id, {
      title: "Late",
      due_date: "2026-01-02",
      assignee_actor_id: ada.actorId,
    });
    const run = await ran(ada, home, follow);
    expect(run).toMatchObject({ state: "waiting", limited: true });
    const [asked] = await ofRun(ada, home, follow, run, "actions");
    expect(asked).toMatchObject({ kind: "comment", target: late.code, preview: expect.stringContaining("2026-01-02") });
    expect((await decide(ada, home, follow, asked)).status).toBe(200);
    expect((await settled(ada, home, follow, run.id, ["queued", "running", "waiting"])).state).toBe("completed");
    expect((await ada.call("GET", `/tasks/${late.id}/comments`)).body.items).toHaveLength(1);
    await read();
    expect(await runsOf(ada, home, other)).toEqual([]);
    // Asked about once a week.
    const again = await ran(ada, home, follow);
    expect([again.state, await ofRun(ada, home, follow, again, "actions")]).toEqual(["completed", []]);
    // An action counts as soon as it is approved, before it is done.
    await running.asOwner("update agent_actions set state = 'approved' where run_id = $1", [run.id]);
    expect(await ofRun(ada, home, follow, await ran(ada, home, follow), "actions")).toEqual([]);
  });

  test("and is paused where its publisher has lost what it needs", async () => {
    const { home, ada, project } = await at();
    const admin = await home.member("admin");
    const agent = await custom(admin, home, { triggers: [{ kind: "event", action: "task.created" }] });
    await running.asOwner("update memberships set state = 'removed' where actor_id = $1", [admin.actorId]);
    await newTask(ada, project.id);
    await read();
    const [run] = await runsOf(ada, home, agent);
    expect(await settled(ada, home, agent, run.id)).toMatchObject({
      state: "failed",
      error_code: "initiator_lost_access",
    });
    const now = await ada.call("GET", `/workspaces/${home.workspaceId}/agents/${agent.id}`);
    expect(now.body).toMatchObject({ state: "paused", reason: "publisher_lost_access" });
    await newTask(ada, project.id);
    await read();
    expect(await runsOf(ada, home, agent)).toHaveLength(1);
  });
});
