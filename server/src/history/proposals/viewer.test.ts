// Drafts of a viewer: private captures and proposals are theirs to make, and nothing of the Workspace changes by them.
import { expect, test } from "vitest";
import { applied, codes, propose, reviewed } from "../../../test/changes.ts";
import { newDocument } from "../../../test/documents.ts";
import { keep, send } from "../../../test/native-work.ts";
import { newTask, workshopOn } from "../../../test/work.ts";
import { newKey, service } from "../../../test/world.ts";

const running = service();

test("a viewer keeps evidence, result sets, selections, views and patches, and nobody is told", async () => {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const viewer = await home.member("viewer");
  const task = await newTask(owner, project.id);
  const document = await newDocument(home, { markdown: "One" });
  const events = async () => (await running.sql("select from domain_events", [], workspaceId)).length;
  const before = await events();
  const set = await keep(viewer, home, "task-result-sets", { query: { project_id: project.id } });
  const selected = { result_set_id: set.id, version: 1, task_ids: [task.id] };
  await keep(viewer, home, "task-selections", selected);
  await keep(viewer, home, "evidence-collections", { sources: [{ kind: "task_title", id: task.id }] });
  const layout = { kind: "board", group_by: "status", columns: ["code", "assignee"] };
  const view = await keep(viewer, home, "task-saved-views", { name: "Mine", query: { category: "started" }, layout });
  const edits = [{ action: "find_replace", find: "One", replace: "Two" }];
  const patch = { document_id: document.id, base_revision: "1", edits };
  expect((await send(viewer, home, "document-patches", patch)).status).toBe(200);
  expect(await events()).toBe(before);
  // Private to the viewer: an owner finds none of it.
  expect((await owner.call("GET", `/workspaces/${workspaceId}/task-saved-views`)).text).not.toContain(view.id);
  expect((await owner.call("GET", `/workspaces/${workspaceId}/task-result-sets/${set.id}?version=1`)).status).toBe(404);
});

test("a viewer's ChangeSet says that each change is refused, and is neither approved nor applied", async () => {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const viewer = await home.member("viewer");
  const task = await newTask(owner, project.id);
  const document = await newDocument(home, { markdown: "One" });
  const edits = [{ action: "find_replace", find: "One", replace: "Two" }];
  const body = { document_id: document.id, base_revision: "1", edits };
  const patch = await viewer.call("POST", `/workspaces/${workspaceId}/document-patches`, { body, key: newKey() });
  const { body: set } = await propose(viewer, home, [
    { action: "task.update", task_id: task.id, revision: "1", set: { priority: "high" } },
    { action: "document.patch", patch_id: patch.body.id, version: 1 },
  ]);
  expect([set.state, set.changes.map(({ refusal }: { refusal: { code: string } }) => refusal.code)]).toEqual([
    "draft",
    ["forbidden", "forbidden"],
  ]);
  expect((await reviewed(viewer, home, set)).body.code).toBe("change_set_refused");
  expect(codes(await applied(viewer, home, set))).toEqual(["change_set_not_approved"]);
  expect((await owner.call("GET", `/tasks/${task.id}`)).body.revision).toBe("1");
  expect((await owner.call("GET", `/documents/${document.id}/markdown`)).body.markdown).toBe("One");
});
