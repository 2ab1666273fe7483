// Runs of Agents: everything that beginning, carrying out, deciding and stopping one touches is found by an index. Part
// of explain.slow.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import * as actions from "../src/assistant/agents/execution/action-store.ts";
import * as store from "../src/assistant/agents/execution/run-store.ts";
import { startFromEvents, startOnSchedule } from "../src/assistant/agents/execution/triggers.ts";
import * as specialists from "../src/assistant/discuss/specialists/specialist-store.ts";
import { inWorkspace } from "../src/platform/background/jobs.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { agentsPath, custom, decide, ofRun, runsOf, runsPath, start } from "./agent-runs.ts";
import { say } from "./discuss.ts";
import { eventually } from "./eventually.ts";
import { explaining } from "./explained.ts";
import { newComment } from "./work.ts";
import { testConfig } from "./world.ts";

const { running, seen, explainUndone, allFaultsOf } = explaining();

test("a run is begun, carried out, decided and stopped by an index", async () => {
  const { home } = seen.loaded;
  const taskId = seen.loaded.task.id;
  const { owner, workspaceId } = home;
  const { writer } = running.database;
  const [, , full] = (await owner.call("GET", agentsPath(home))).body.items;
  await owner.call("DELETE", agentsPath(home, `/${full.id}`));
  const agent = await custom(owner, home);
  const { assistant_message: said } = await say(owner, home, "What is overdue?");
  seen.recorded = [];
  const begun = await start(owner, home, agent, { task_id: taskId });
  const delegated = await owner.call(
    "POST",
    agentsPath(home, `/studio/definitions/${agent.definition_id}/delegations/${taskId}`),
    {
      body: {},
      key: newId(),
    },
  );
  const run = (await store.claimRun(writer, workspaceId, begun.body.id)) ?? expect.fail("it was not taken");
  const held = { workspaceId, id: run.id, fence: run.fence };
  const { agentRuns } = store;
  await agentRuns.keepLease(writer, held);
  await agentRuns.beginStep(writer, held, { number: 1, kind: "model", asked: "sealed" });
  await agentRuns.endStep(writer, held, {
    number: 1,
    answered: "sealed",
    usage: { input: 1, output: 1 },
    readOthers: false,
  });
  const [id, approvalId] = [newId(), newId()];
  const wanted = {
    id,
    number: 1,
    kind: "comment",
    target: "ENG-1",
    preview: "",
    input: "sealed",
    state: "waiting",
  } as const;
  await actions.addAction(writer, held, { ...wanted, approval: { id: approvalId, digest: "0".repeat(64) } });
  await actions.addAction(writer, held, { ...wanted, id: newId(), number: 2, state: "approved", approval: null });
  await Promise.all([
    agentRuns.stepsOf(writer, held),
    store.reachedBy(writer, held),
    actions.madeAtOnce(writer, held),
    actions.approvedActions(writer, held),
    actions.doneLately(writer, held, agent.id, "comment", ["ENG-1"]),
    inWorkspace(writer, workspaceId, (tx) => store.faultOf(tx, run.id)),
  ]);
  await actions.endAction(writer, held, newId(), { state: "done", receiptId: null, refusal: null });
  await store.keepOutputs(writer, held, [{ kind: "text", resource: null, text: "Said" }], false);
  await store.finishRun(writer, held, { state: "completed", error: null }, agent.definition_id, (tx) =>
    store.outputsOf(tx, run.id),
  );
  const [action] = await ofRun(owner, home, agent, run, "actions");
  const handed = await inWorkspace(writer, workspaceId, async (tx) => {
    const parent = { runId: said.run_id, turnId: said.turn_id, credentialId: newId(), credentialKind: "session" };
    const asked = { actorId: owner.actorId, agent: "helper", input: "Look", cause: "discuss", parent };
    const started = await specialists.startSpecialist(tx, testConfig.runLimits, asked);
    await specialists.agentNames(tx, owner.actorId);
    await specialists.revisionOf(tx, agent.id);
    const message = { id: newId(), turnId: said.turn_id, content: "", parts: [] };
    await specialists.deliverMessage(tx, owner.actorId, message);
    return started as { id: string };
  });
  const specialist = `/workspaces/${workspaceId}/discuss/specialist-runs/${handed.id}`;
  // What starts one beside somebody's hand.
  await newComment(owner, taskId, `@${agent.username} please look`);
  await eventually(async () => {
    await startFromEvents(running.database, testConfig.runLimits);
    expect((await runsOf(owner, home, agent)).map(({ trigger }) => trigger)).toContain("mention");
  });
  await startOnSchedule(running.database, testConfig.runLimits);
  const answers = [
    ...[begun, delegated],
    await owner.call("GET", runsPath(home, agent, `/${run.id}`)),
    await decide(owner, home, agent, action, "reject"),
    await owner.call("POST", runsPath(home, agent, `/${delegated.body.id}/cancel`)),
    await owner.call("GET", specialist),
    await owner.call("POST", `${specialist}/cancel`),
    await owner.call("POST", `${specialist}/resume`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200, 200, 200, 200]);
  expect(Math.max(...answers.map(({ trips }) => trips as number))).toBeLessThanOrEqual(5);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});
