// Message results of changes that were made at once: the resource, its fields before and after, and its revision.
import { afterAll, beforeEach, expect, test } from "vitest";
import { answerTo, decideOn, discussPath, ended, partsOf, talkers } from "../../../test/discuss.ts";
import { any, newDocument } from "../../../test/documents.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
afterAll(() => provider.close());
beforeEach(() => provider.clear());

async function optedIn() {
  const { home, ada } = await talkers(running);
  await ada.call("PATCH", discussPath(home, "preferences"), { body: { opt_in: true }, ifMatch: "0" });
  const project = await newProject(home);
  return { home, ada, project, task: await newTask(ada, project.id, { title: "Cut the gears" }) };
}

test("a change of a Task has the fields before and after, its id and its new revision", async () => {
  const { home, ada, task } = await optedIn();
  const args = { code: task.code, revision: "1", priority: "high", title: "Cut all gears", due_date: "2030-01-02" };
  provider.say({ calls: [{ name: "update_task", args }] }, { text: ["Done."] });
  const answer = await answerTo(ada, home, "Change it");
  const [result, ...others] = partsOf(answer, "action_result");
  expect(others).toEqual([]);
  expect(result).toMatchObject({
    action: "update_task",
    resource_type: "task",
    resource_id: task.id,
    entity_version: "2",
    risk: "low",
    before: { priority: "none", title: "Cut the gears", due_date: null },
    after: { priority: "high", title: "Cut all gears", due_date: "2030-01-02" },
  });
  const [{ receipts }] = partsOf(answer, "operation_receipts");
  expect(receipts).toMatchObject([
    { kind: "task", resource_id: task.id, revision: "2", operation_id: result.receipt_id },
  ]);
});

test("what was created has no before; a comment and a time entry name themselves and not their Task", async () => {
  const { home, ada, project, task } = await optedIn();
  provider.say(
    {
      calls: [
        { name: "create_task", args: { project: project.key, title: "Oil them" } },
        { name: "comment", args: { code: task.code, markdown: "Hello" } },
        { name: "log_time", args: { code: task.code, duration: "1h", date: "2026-05-04" } },
      ],
    },
    { text: ["Done."] },
  );
  const results = partsOf(await answerTo(ada, home, "All of it"), "action_result");
  const comment = (await ada.call("GET", `/tasks/${task.id}/comments`)).body.items[0];
  expect(results).toMatchObject([
    { action: "create_task", resource_type: "task", before: null, after: { title: "Oil them" }, entity_version: "1" },
    { action: "comment", resource_type: "comment", resource_id: comment.id, before: null, entity_version: "1" },
    { action: "log_time", resource_type: "time_entry", before: null, entity_version: "1" },
  ]);
  for (const { after } of results) expect(after).not.toBe(null);
});

test("an approved edit of a Document has its content_revision before and after, which is also the version it names", async () => {
  const { home, ada } = await optedIn();
  const { id } = await newDocument(home, { title: "Plan", markdown: "Use tin." });
  for (const markdown of ["Use copper.", "Use brass."])
    await ada.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ...any });
  const edit = { path: "plan", revision: "3", edits: [{ find: "brass", replace: "steel" }] };
  provider.say({ calls: [{ name: "patch_document", args: edit }] }, { text: ["It waits."] });
  const [part] = partsOf(await answerTo(ada, home, "Use steel"), "interaction");
  const decided = await decideOn(ada, home, part);
  const answer = await ended(ada, home, decided.body.assistant_message.id);
  expect(partsOf(answer, "action_result")).toMatchObject([
    {
      action: "apply_change_set",
      resource_type: "document",
      resource_id: id,
      entity_version: "4",
      before: { content_revision: "3" },
      after: { content_revision: "4" },
      risk: "reviewed",
    },
  ]);
  expect(partsOf(answer, "operation_receipts")[0].receipts).toMatchObject([{ kind: "document", revision: "4" }]);
});
