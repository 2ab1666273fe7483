// Whoever adds something to a Task while it is deleted for good finds that it is gone, and never a fault of ours.
import { expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { newAttachment } from "../../../test/attachments.ts";
import { overlapping } from "../../../test/overlap.ts";
import { newComment, newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";
import { constraints } from "../../constraints.ts";

const running = service();

interface Stand {
  person: Person;
  task: { id: string; revision: string };
  other: { id: string };
  comment: { id: string };
  workspaceId: string;
  uploadId: string;
  projectId: string;
  labelId: string;
}
const any = { headers: { "if-match": "*" } };
const additions: Record<string, (stand: Stand) => Promise<Answer>> = {
  "a comment": ({ person, task }) =>
    person.call("POST", `/tasks/${task.id}/comments`, { body: { markdown: "Hm." }, key: newKey() }),
  "an edited comment": ({ person, comment }) =>
    person.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Hm." }, ...any }),
  "a reaction": ({ person, comment }) => person.call("PUT", `/comments/${comment.id}/reactions/heart`),
  "a subscription": ({ person, task }) => person.call("PUT", `/tasks/${task.id}/subscription`),
  "a relation from it": ({ person, task, other }) =>
    person.call("POST", `/tasks/${task.id}/relations`, { body: { type: "blocks", related_task_id: other.id } }),
  "a relation to it": ({ person, task, other }) =>
    person.call("POST", `/tasks/${other.id}/relations`, { body: { type: "blocks", related_task_id: task.id } }),
  "an attachment": ({ person, task, uploadId }) =>
    person.call("POST", `/tasks/${task.id}/attachments`, { body: { attachment_id: uploadId } }),
  labels: ({ person, task, labelId }) =>
    person.call("PUT", `/task/${task.id}/labels`, { body: { label_ids: [labelId] }, ...any }),
  "a description and an assignee": ({ person, task }) =>
    person.call("PATCH", `/tasks/${task.id}`, {
      body: { description_markdown: "Other", assignee_actor_id: person.actorId },
      ...any,
    }),
  "a description and an assignee at a revision": ({ person, task }) =>
    person.call("PATCH", `/tasks/${task.id}`, {
      body: { description_markdown: "Other", assignee_actor_id: person.actorId },
      ifMatch: task.revision,
    }),
  "a title at a revision": ({ person, task }) =>
    person.call("PATCH", `/tasks/${task.id}`, { body: { title: "Told after it was deleted" }, ifMatch: task.revision }),
  "another Project": ({ person, task, projectId }) =>
    person.call("POST", `/tasks/${task.id}/move`, { body: { project_id: projectId }, ...any }),
  "what somebody works on": ({ person, task }) =>
    person.call("PUT", "/me/current-work", { body: { task_id: task.id } }),
  "feedback about it": ({ person, task, workspaceId }) =>
    person.call("POST", `/workspaces/${workspaceId}/tasks/${task.id}/suggestion-feedback`, {
      body: { kind: "current_work", verdict: "helpful" },
    }),
  "feedback that names it": ({ person, task, other, workspaceId }) =>
    person.call("POST", `/workspaces/${workspaceId}/tasks/${other.id}/suggestion-feedback`, {
      body: { kind: "related_task", subject_id: task.id, verdict: "helpful" },
    }),
};
/** Where the Task is named in the body and not in the path. */
const NAMED = ["a relation to it", "what somebody works on", "feedback that names it"];

test("whoever adds to a Task while it is deleted is told that it is gone", async () => {
  const home = await world(running);
  const { workspaceId, owner } = home;
  const [project, elsewhere] = [await newProject(home), await newProject(home)];
  const label = { body: { name: "Red", color: "red", purpose: "task" } };
  const labelId = (await owner.call("POST", `/workspaces/${workspaceId}/label-definitions`, label)).body.id;
  for (const [name, add] of Object.entries(additions)) {
    const [task, other] = [await newTask(owner, project.id), await newTask(owner, project.id)];
    const comment = await newComment(owner, task.id);
    const uploadId = name === "an attachment" ? (await newAttachment(owner)).id : "";
    const stand = { person: owner, task, other, comment, workspaceId, uploadId, projectId: elsewhere.id, labelId };
    const answer = await overlapping(
      running,
      ["delete from tasks where id = $1", task.id],
      1,
      () => add(stand),
      workspaceId,
    );
    expect([name, answer.status], answer.text).toEqual([name, NAMED.includes(name) ? 422 : 404]);
  }
});

/**
 * Written by whoever holds the row that they name, so that it cannot go meanwhile; or by a job, which is tried again.
 */
const HELD = [
  "task_assignments_workspace_id_task_id_fkey",
  "task_description_revisions_workspace_id_task_id_fkey",
  "task_codes_workspace_id_task_id_fkey",
  "comment_revisions_workspace_id_comment_id_fkey",
  "search_entries_workspace_id_task_id_fkey",
  "task_mentions_workspace_id_task_id_fkey",
  "inbox_items_workspace_id_task_id_fkey",
  "due_notices_workspace_id_task_id_fkey",
  "rich_entities_workspace_id_task_id_fkey",
  "integration_comments_workspace_id_comment_id_fkey",
];

test("every reference to a Task or a comment answers with a code, or is made while the row is held", async () => {
  const references = await running.sql<{ name: string }>(
    `select conname as name from pg_constraint
      where contype = 'f' and confrelid in ('tasks'::regclass, 'comments'::regclass) order by 1`,
  );
  const names = references.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !(name in constraints) && !HELD.includes(name))).toEqual([]);
});
