// Captured work of members: everything that capturing and showing it touches is found by an index. Part of
// explain.slow.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import { sweeps } from "../src/history/captures/jobs.ts";
import { newAttached } from "./attachments.ts";
import { newDocument } from "./documents.ts";
import { explaining } from "./explained.ts";
import { hydrate, keep, type NativeAnswer, read } from "./native-work.ts";
import { newComment, newTask } from "./work.ts";

const { seen, explainUndone, explainOwned, allFaultsOf, faultsOf } = explaining();
/** A capture looks through longer stretches than a page does, and says through how long ones. */
const faultsIn = (nodes: Parameters<typeof faultsOf>[0], sql: string) =>
  sql.includes("limit 12000") ? faultsOf(nodes, "", 12_000) : allFaultsOf(nodes, sql);

test("evidence, result sets, selections and saved views find what they touch by an index", async () => {
  const { home, projectId, task } = seen.loaded;
  const { owner } = home;
  const comment = await newComment(owner, task.id);
  const document = await newDocument(home, { markdown: "Text" });
  const file = await newAttached(owner, `/tasks/${(await newTask(owner, projectId)).id}`);
  seen.recorded = [];
  const evidence = await keep(owner, home, "evidence-collections", {
    sources: [
      { kind: "task_title", id: task.id },
      { kind: "comment", id: comment.id },
      { kind: "document", id: document.id },
      { kind: "attachment", id: file.id },
    ],
  });
  const next = { collection_id: evidence.id, version: 1, excluded_source_ids: [] };
  await keep(owner, home, "evidence-collections/exclusions", next);
  await read(owner, home, `evidence-collections/${evidence.id}?version=2`);
  await hydrate(owner, home, "evidence-collections", evidence.id, "version=2");
  const set = await keep(owner, home, "task-result-sets", { query: { project_id: projectId } });
  expect(set.count).toBe(1000);
  for (const query of [
    {},
    { text: "19999", sort: "title" },
    { q: "task", priority: "none" },
    { label_id: projectId, sort: "created" },
  ])
    await keep(owner, home, "task-result-sets", { query });
  // Where few of very many pass, it gives up within its round-trips, and says so; asked again, too.
  const late = await keep(owner, home, "task-result-sets", { query: { text: "Task 99999", sort: "title" } });
  const again = await keep(owner, home, "task-result-sets", { result_set_id: late.id, version: 1 });
  for (const { count, complete } of [late, again]) expect([count, complete]).toEqual([0, false]);
  await keep(owner, home, "task-result-sets", { result_set_id: set.id, version: 1 });
  await read(owner, home, `task-result-sets/${set.id}?version=1`);
  await hydrate(owner, home, "task-result-sets", set.id, "version=1&offset=900");
  const named = "include=status,assignee,project,milestone";
  await hydrate(owner, home, "task-result-sets", set.id, `version=1&${named}`);
  const task_ids = set.tasks.slice(0, 200).map(({ id }: NativeAnswer) => id);
  const selection = await keep(owner, home, "task-selections", { result_set_id: set.id, version: 1, task_ids });
  await hydrate(owner, home, "task-selections", selection.id, `offset=100&${named}`);
  const view = { name: "All", query: {}, layout: { kind: "list", group_by: "none", columns: [] } };
  const saved = await keep(owner, home, "task-saved-views", view);
  await keep(owner, home, "task-saved-views", { ...view, name: "Mine", view_id: saved.id, revision: "1" });
  await keep(owner, home, "task-saved-views/delete", { view_id: saved.id, revision: "2" });
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(20);
  for (const statement of statements.values())
    expect.soft(faultsIn(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("what has expired is found by indexes, in whichever Workspace it is", async () => {
  for (const sql of sweeps) expect(faultsOf(await explainOwned(sql)), sql).toEqual([]);
});
