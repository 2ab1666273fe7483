// Queries that runs depend on: the published version of an Agent, whether it may run, and its usage.
import { expect, test } from "vitest";
import { plantAgent } from "../../../test/agents.ts";
import { service, world } from "../../../test/world.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import type { Queries } from "../../platform/database/db.ts";
import { defaultBudgets } from "./rules.ts";
import * as store from "./store.ts";

const running = service();
const within = <T>(workspaceId: string, work: (tx: Queries) => Promise<T>) =>
  inWorkspace(running.database.writer, workspaceId, work);

test("an Agent is found by itself, its Actor and its definition, with the narrower of both budgets", async () => {
  const { owner, workspaceId } = await world(running);
  const { id, definitionId, actorId } = await plantAgent(running, workspaceId, owner.actorId, { name: "Triage" });
  await running.sql(
    `update agents set own_budgets = '{"tokens_per_run": 5000, "runs_per_hour": 1000}' where id = $1`,
    [id],
    workspaceId,
  );
  const expected = {
    id,
    definition_id: definitionId,
    actor_id: actorId,
    version: 1,
    name: "Triage",
    state: "active",
    instructions: "Help.",
    tools: ["find"],
    triggers: [{ kind: "manual" }],
    project_ids: [],
    budgets: { ...defaultBudgets, tokens_per_run: 5000 },
    publisher_actor_id: owner.actorId,
  };
  for (const named of [{ id }, { actor_id: actorId }, { definition_id: definitionId }])
    expect(await within(workspaceId, (tx) => store.agentToRun(tx, named))).toEqual(expected);
  const elsewhere = (await world(running)).workspaceId;
  expect(await within(elsewhere, (tx) => store.agentToRun(tx, { id }))).toBeUndefined();
});

test("only active ones begin by themselves, and a paused one may not go on", async () => {
  const { owner, workspaceId } = await world(running);
  const triggers = [{ kind: "schedule", at: "07:30", timezone: "UTC" } as const];
  const { id } = await plantAgent(running, workspaceId, owner.actorId, { triggers });
  const begun = async (kind: "schedule" | "mention") =>
    (await within(workspaceId, (tx) => store.agentsTriggeredBy(tx, kind))).map((agent) => agent.id);
  const scheduled = async () => (await within(workspaceId, store.agentsOnSchedule)).map((agent) => agent.id);
  expect([await begun("schedule"), await begun("mention")]).toEqual([[id], []]);
  expect(await scheduled()).toContain(id);
  expect(await within(workspaceId, (tx) => store.mayRun(tx, id))).toBe(true);
  expect(await within(workspaceId, (tx) => store.pauseAgent(tx, id, "publisher_left"))).toBe(true);
  expect(await within(workspaceId, (tx) => store.pauseAgent(tx, id, "publisher_left"))).toBe(false);
  expect([await begun("schedule"), await within(workspaceId, (tx) => store.mayRun(tx, id))]).toEqual([[], false]);
  expect(await scheduled()).not.toContain(id);
});

test("usage adds up by day, and counts against the budget of the day", async () => {
  const { owner, workspaceId } = await world(running);
  const { definitionId } = await plantAgent(running, workspaceId, owner.actorId);
  expect(await within(workspaceId, (tx) => store.tokensToday(tx, definitionId))).toBe(0);
  await within(workspaceId, (tx) => store.addUsage(tx, definitionId, { runs: 1 }));
  await within(workspaceId, (tx) => store.addUsage(tx, definitionId, { inputTokens: 900, outputTokens: 100 }));
  expect(await within(workspaceId, (tx) => store.tokensToday(tx, definitionId))).toBe(1000);
});
