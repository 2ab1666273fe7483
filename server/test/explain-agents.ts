// Agents: everything that drafting, publishing, enabling, stopping and running them touches is found by an index. Part
// of explain.slow.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import { curated } from "../src/assistant/agents/curated-agents.ts";
import * as store from "../src/assistant/agents/store.ts";
import { inWorkspace } from "../src/platform/background/jobs.ts";
import { explaining } from "./explained.ts";

const { running, seen, explainUndone, allFaultsOf } = explaining();

test("Agents and their definitions are found by an index, whatever is done with them", async () => {
  const { owner, workspaceId } = seen.loaded.home;
  const at = `/workspaces/${workspaceId}/agents`;
  const any = { headers: { "if-match": "*" } };
  // There is no room for one more.
  const [full] = (await owner.call("GET", at)).body.items;
  await owner.call("DELETE", `${at}/${full.id}`);
  seen.recorded = [];
  const drafted = await owner.call("POST", `${at}/studio/definitions`, {
    body: { name: "Greeter", instructions: "Greet.", tools: ["find"], project_ids: [seen.loaded.projectId] },
  });
  const definition = `${at}/studio/definitions/${drafted.body.id}`;
  const asked = await owner.call("POST", `${definition}/requests`, { body: { kind: "publish" } });
  const decide = { request_id: asked.body.id, decision: "approve" };
  const published = await owner.call("PATCH", definition, { body: { decide }, ...any });
  const enabled = await owner.call("POST", at, { body: { definition_id: drafted.body.id } });
  const agent = `${at}/${enabled.body.id}`;
  const answers = [
    ...[drafted, asked, published, enabled],
    await owner.call("GET", agent),
    await owner.call("PATCH", definition, { body: { instructions: "Wave.", state: "published" }, ...any }),
    await owner.call("GET", `${definition}/profile?include=people`),
    await owner.call("GET", `${at}/studio/definitions/${curated[0]?.id}/profile`),
    await owner.call("GET", `${at}/studio/definitions/${curated[0]?.id}`),
    await owner.call("GET", `${definition}/usage?from_date=2026-01-01&to_date=2026-12-31`),
    await owner.call("POST", `${agent}/rollback`, { body: { version: 1 } }),
    await owner.call("POST", `${agent}/quarantine`, { body: { reason: "Stop" } }),
    await owner.call("PATCH", agent, { body: { state: "active", name: "Waver" }, ...any }),
    await owner.call("PATCH", definition, { body: { state: "retired" }, ...any }),
    await owner.call("DELETE", agent),
    await owner.call("POST", at, { body: { definition_id: curated[1]?.id } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([
    ...[201, 201, 200, 201, 200, 200, 200, 200],
    ...[200, 200, 200, 200, 200, 200, 204, 201],
  ]);
  const [definitionId, id] = [curated[1]?.id as string, answers.at(-1)?.body.id as string];
  await inWorkspace(running.database.writer, workspaceId, async (tx) => {
    await store.agentToRun(tx, { id });
    await store.agentToRun(tx, { definition_id: definitionId });
    await store.agentToRun(tx, { actor_id: answers.at(-1)?.body.actor_id });
    await store.agentsTriggeredBy(tx, "mention");
    await store.mayRun(tx, id);
    await store.addUsage(tx, definitionId, { runs: 1 });
    await store.tokensToday(tx, definitionId);
    await store.pauseAgent(tx, id, "publisher_left");
  });
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(25);
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});
