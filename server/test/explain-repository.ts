// The knowledge repository: everything that its operations touch is found by an index. Part of explain.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import { explaining } from "./explained.ts";
import { newKey } from "./world.ts";

const { seen, explainUndone, allFaultsOf } = explaining();

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
