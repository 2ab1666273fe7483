// Private rows of Discuss: everything that setting, telling, resolving and sweeping it touches is found by an index.
// Part of explain.slow.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import { deliverReminders, sweeps } from "../src/assistant/discuss/reminder/reminder-jobs.ts";
import { newAttached, newAttachment, privateUploads } from "./attachments.ts";
import { newDocument } from "./documents.ts";
import { explaining } from "./explained.ts";
import { newComment, newMilestone, newTask } from "./work.ts";
import { newKey } from "./world.ts";

const { seen, running, explainUndone, explainOwned, allFaultsOf, faultsOf } = explaining();

test("preferences, references, reminders and private files find what they touch by an index", async () => {
  const { home, projectId, task } = seen.loaded;
  const { owner, workspaceId } = home;
  const at = `/workspaces/${workspaceId}/discuss`;
  const references = [
    { kind: "project", id: projectId },
    { kind: "task", id: task.id },
    { kind: "comment", id: (await newComment(owner, task.id)).id },
    { kind: "document", id: (await newDocument(home, { markdown: "Text" })).id },
    { kind: "milestone", id: (await newMilestone(owner, projectId)).id },
    { kind: "attachment", id: (await newAttached(owner, `/tasks/${(await newTask(owner, projectId)).id}`)).id },
  ];
  seen.recorded = [];
  const file = await newAttachment(owner, undefined, {}, privateUploads(workspaceId));
  const due = { text: "Look", due_at: "2030-01-15T09:00:00Z", confirmed: true };
  const made = await Promise.all(
    references.map((target) => owner.call("POST", `${at}/reminders`, { body: { ...due, target }, key: newKey() })),
  );
  const one = made[0]?.body;
  const answers = [
    await owner.call("GET", `${at}/preferences`),
    await owner.call("PATCH", `${at}/preferences`, { body: { opt_in: true }, headers: { "if-match": "*" } }),
    await owner.call("POST", `${at}/references/resolve`, { body: { references } }),
    await owner.call("PATCH", `${at}/reminders/${one.id}`, { body: { action: "cancel" }, ifMatch: "1" }),
    await owner.call("GET", `${at}/files/${file.id}`),
    await owner.call("POST", `${at}/files/${file.id}/download`),
    await owner.call("DELETE", `${at}/files/${file.id}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 204]);
  await running.asOwner("update discuss_reminders set due_at = now() where workspace_id = $1 and text = 'Look'", [
    workspaceId,
  ]);
  await deliverReminders(running.database);
  await owner.call("GET", `/workspaces/${workspaceId}/inbox?category=reminder`);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(15);
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("what is closed or left behind is found by indexes, in whichever Workspace it is", async () => {
  for (const sql of sweeps) expect(faultsOf(await explainOwned(sql)), sql).toEqual([]);
});
