// Document patches and ChangeSets beside 20,000 rows and more of everything. Part of explain.slow.test.ts, because
// loading them takes longer than asking.
import { expect, test } from "vitest";
import { sweeps } from "../src/history/proposals/jobs.ts";
import { applied, propose, read, reviewed } from "./changes.ts";
import { commandOf, undo } from "./commands.ts";
import { newDocument } from "./documents.ts";
import { explaining } from "./explained.ts";
import { newComment, newMilestone, newTask } from "./work.ts";
import { newKey } from "./world.ts";

const { seen, explainUndone, explainOwned, allFaultsOf, faultsOf } = explaining();

test("a ChangeSet is proposed, read, reviewed, applied and undone by indexes, and a Document patch drafted and read", async () => {
  const { home, projectId } = seen.loaded;
  const { owner } = home;
  const document = await newDocument(home, { markdown: "Cut the brass." });
  const milestone = await newMilestone(owner, projectId);
  const task = await newTask(owner, projectId, { milestone_id: milestone.id });
  const comment = await newComment(owner, task.id);
  seen.recorded = [];
  const path = `/workspaces/${home.workspaceId}/document-patches`;
  const edits = [{ action: "find_replace", find: "brass", replace: "steel" }];
  const draft = await owner.call("POST", path, {
    body: { document_id: document.id, base_revision: "1", edits },
    key: newKey(),
  });
  const captured = await owner.call("POST", `/workspaces/${home.workspaceId}/evidence-collections`, {
    body: { sources: [{ kind: "task_title", id: task.id }] },
    key: newKey(),
  });
  const changes = [
    { action: "task.update", task_id: task.id, revision: "1", set: { priority: "high", milestone_id: null } },
    { action: "comment.update", comment_id: comment.id, revision: "1", set: { markdown: "@nobody" } },
    { action: "document.patch", patch_id: draft.body.id, version: 1 },
  ];
  const evidence = [{ id: captured.body.id, version: 1 }];
  const { body: set } = await propose(owner, home, changes, { evidence });
  const next = { body: { document_id: document.id, base_revision: "1", edits, patch_id: draft.body.id, version: 1 } };
  const answers = [
    await owner.call("GET", `${path}/${draft.body.id}?version=1`),
    await owner.call("POST", path, { ...next, key: newKey() }),
    await reviewed(owner, home, set),
    await applied(owner, home, set),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await read(owner, home, set)).state).toBe("applied");
  expect((await undo(owner, commandOf(answers[3] as never))).status).toBe(200);
  const asked = seen.recorded.filter(({ sql }) => !sql.includes("savepoint"));
  for (const statement of new Map(asked.map((each) => [each.sql, each])).values())
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("what has been of no use for long is found by indexes, in whichever Workspace it is", async () => {
  for (const sql of sweeps) expect(faultsOf(await explainOwned(sql), "", 20_000), sql).toEqual([]);
});
