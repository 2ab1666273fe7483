// Knowledge: what is asked for a question, what brings passages into memory and what writes them is found by an index.
// Part of explain.slow.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import { RELEASE_LEFT, reserveCredits, settleCredits } from "../src/knowledge/retrieval/credit-store.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { explaining } from "./explained.ts";

const { running, seen, explainUndone, explainOwned, allFaultsOf, faultsOf } = explaining();

const PLACE = "insert into knowledge_places (workspace_id, place_id) values ($1, $2)";
const PASSAGES = `
insert into knowledge_passages (workspace_id, place_id, kind, source_id, start_at, end_at, text, terms, version)
select $1, $2, 'task_title', t.id, 0, 4, 'Word', decode('00000000', 'hex'), k.version
from knowledge_places k, (select id from tasks where workspace_id = $1 limit 20000) t where k.workspace_id = $1`;
const GONE = `
insert into knowledge_gone (workspace_id, place_id, source_id, version)
select $1, k.place_id, t.id, k.version
from knowledge_places k, (select id from tasks where workspace_id = $1 limit 2000) t where k.workspace_id = $1`;

test("a question finds its places, what changed there and what it shows by an index", async () => {
  const { home, projectId } = seen.loaded;
  const { owner, workspaceId } = home;
  await running.asOwner(
    "update knowledge_settings set included_projects = array[$2::uuid], enabled = true where workspace_id = $1",
    [workspaceId, projectId],
  );
  await running.asOwner(
    `insert into knowledge_settings (workspace_id, included_projects) values ($1, array[$2::uuid])
      on conflict do nothing`,
    [workspaceId, projectId],
  );
  await running.asOwner(PLACE, [workspaceId, projectId]);
  for (const sql of [PASSAGES.replace("$2", "k.place_id"), GONE]) await running.asOwner(sql, [workspaceId]);
  await running.asOwner("analyze knowledge_passages, knowledge_gone, knowledge_places");
  seen.recorded = [];
  const first = await owner.call("GET", `/workspaces/${workspaceId}/knowledge/search?q=word`);
  await running.asOwner("update knowledge_places set version = nextval('knowledge_versions') where workspace_id = $1", [
    workspaceId,
  ]);
  const second = await owner.call("GET", `/workspaces/${workspaceId}/knowledge/search?q=word`);
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.trips, "with what has changed").toBeLessThanOrEqual(3);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect([...statements.keys()].filter((sql) => sql.includes("knowledge_")).length).toBeGreaterThanOrEqual(2);
  for (const statement of statements.values())
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("credits are reserved, settled and given back by an index", async () => {
  const { workspaceId } = seen.loaded.home;
  await running.asOwner("insert into knowledge_credits (workspace_id, balance) select id, 100000 from workspaces");
  await running.asOwner(
    `insert into knowledge_credit_entries (workspace_id, id, state, reserved, settled, ended_at)
     select $1, gen_random_uuid(), 'settled', 1, 1, now() from generate_series(1, 20000)`,
    [workspaceId],
  );
  await running.asOwner("analyze knowledge_credits, knowledge_credit_entries");
  const id = newId();
  const sent: { sql: string; values: unknown[] }[] = [];
  const noting = {
    rows: async (sql: string, values: unknown[]) => {
      sent.push({ sql, values });
      return [];
    },
  } as never;
  await reserveCredits(noting, id, 2);
  await settleCredits(noting, id, 1);
  for (const statement of sent)
    expect(allFaultsOf(await explainUndone(statement as never), statement.sql), statement.sql).toEqual([]);
  expect(faultsOf(await explainOwned(RELEASE_LEFT))).toEqual([]);
});
