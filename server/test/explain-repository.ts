// The knowledge repository: everything that its operations touch is found by an index. Part of explain.slow.test.ts, as
// explain-one.ts is.
import { expect, test } from "vitest";
import { requestExports } from "../src/knowledge/repository/request-exports.ts";
import { newDocument } from "./documents.ts";
import { eventually } from "./eventually.ts";
import { explaining } from "./explained.ts";
import { newKey } from "./world.ts";

const { running, seen, explainUndone, allFaultsOf } = explaining();

test("a change of what is exported is found by an index", async () => {
  const { home } = seen.loaded;
  const READY = `
    update knowledge_repositories
      set begun = true, followed_epoch = journal_epoch(), followed_tx = pg_snapshot_xmin(pg_current_snapshot()),
      root_document_id = (select id from documents where workspace_id = $1 and parent_id is not null limit 1)
        where workspace_id = $1`;
  await running.asOwner(READY, [home.workspaceId]);
  await newDocument(home, { title: "Exported" });
  seen.recorded = [];
  await eventually(async () => expect(await requestExports(running.database, null)).toBe(false));
  await running.asOwner("update knowledge_repositories set root_document_id = null where workspace_id = $1", [
    home.workspaceId,
  ]);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(3);
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("the connection, a run and a resolution are found and written by an index", async () => {
  const { owner, workspaceId } = seen.loaded.home;
  const at = `/workspaces/${workspaceId}/knowledge-repository`;
  const [conflict] = (await owner.call("GET", `${at}/conflicts?limit=1`)).body.items;
  seen.recorded = [];
  const read = await owner.call("GET", at);
  const answers = [
    read,
    await owner.call("POST", `${at}/conflicts/${conflict.id}/resolve`, { body: { choice: "theirs" }, key: newKey() }),
    await owner.call("POST", `${at}/sync`, { body: {}, key: newKey() }),
    await owner.call("PATCH", at, { body: { direction: "out" }, ifMatch: read.body.revision }),
    await owner.call("PUT", at, { body: { url: "https://git.example.com/b.git" } }),
    await owner.call("POST", `${at}/import`, { key: newKey() }),
  ];
  // Nothing is left of the Document that the conflict was about.
  expect(answers.map(({ status }) => status)).toEqual([200, 409, 202, 200, 200, 202]);
  for (const { trips } of answers) expect(trips).toBeLessThanOrEqual(5);
  expect(read.trips).toBe(1);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});
