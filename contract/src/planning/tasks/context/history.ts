// History of a Task: its assignees, the revisions of its description, and its participants.
import Type from "typebox";
import { list, M, op, S } from "../../../kit.ts";
import { Id, MarkdownText, nullable, object, PictureUrl, Revision, Timestamp } from "../../../types.ts";
import { Task } from "../tasks.ts";

export const TaskAssignment = object({
  id: Id,
  task_id: Id,
  actor_id: Id,
  assigned_by_actor_id: Id,
  assigned_at: Timestamp,
  closed_at: { ...nullable(Timestamp), description: "Null while it lasts." },
});

export const listTaskAssignments = list(
  "GET /tasks/{task_id}/assignments",
  "List who a Task is and was assigned to, newest first",
  { auth: [S, M], include: ["people"], items: TaskAssignment },
);

export const DescriptionRevision = object({
  task_id: Id,
  revision: { ...Revision, description: "Of the Task, when it had this text last." },
  description_markdown: MarkdownText,
  replaced_by_actor_id: Id,
  replaced_at: Timestamp,
});

export const listTaskDescriptionRevisions = list(
  "GET /tasks/{task_id}/description-revisions",
  "List the texts that a Task's description had, newest first",
  {
    description:
      "Each with who replaced it and when; the text that it has now is in the Task. " +
      "A page ends early once it holds 1 MiB of text: only has_more says whether there are more.",
    auth: [S],
    include: ["people"],
    items: DescriptionRevision,
  },
);

export const restoreTaskDescription = op(
  "POST /tasks/{task_id}/description-revisions/{revision}/restore",
  "Give a Task's description a text that it had",
  {
    description: "A change like any other: the text that it has now is kept in turn.",
    auth: [S],
    ifMatch: "required",
    returns: Task,
    errors: ["project_archived", "task_trashed"],
  },
);

export const TaskParticipant = object({
  actor_id: Id,
  display_name: nullable(Type.String()),
  username: nullable(Type.String()),
  picture_url: PictureUrl,
  roles: Type.Array(Type.Enum(["creator", "assignee", "former_assignee", "commenter"]), { maxItems: 4 }),
});

export const listTaskParticipants = list("GET /tasks/{task_id}/participants", "List who takes part in a Task", {
  description:
    "Whoever created it, is or was assigned to it, or has commented on it, each once and in this order. " +
    "Of a long history of assignments the latest 400 are looked at.",
  auth: [S, M],
  include: ["people"],
  items: TaskParticipant,
});
