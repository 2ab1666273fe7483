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
  closed_at: { ...nullable(Timestamp), description: "End of the assignment; null while it is current." },
});

export const listTaskAssignments = list(
  "GET /tasks/{task_id}/assignments",
  "List the current and former assignees of a Task, newest first",
  { auth: [S, M], include: ["people"], items: TaskAssignment },
);

export const DescriptionRevision = object({
  task_id: Id,
  revision: { ...Revision, description: "Last revision of the Task with this text." },
  description_markdown: MarkdownText,
  replaced_by_actor_id: Id,
  replaced_at: Timestamp,
});

export const listTaskDescriptionRevisions = list(
  "GET /tasks/{task_id}/description-revisions",
  "List the former versions of a Task's description, newest first",
  {
    description:
      "Returns each text with who replaced it and when; the current text is in the Task. A page ends " +
      "early once it holds 1 MiB of text: only has_more indicates whether there are more.",
    auth: [S],
    include: ["people"],
    items: DescriptionRevision,
  },
);

export const restoreTaskDescription = op(
  "POST /tasks/{task_id}/description-revisions/{revision}/restore",
  "Restore a former version of a Task's description",
  {
    description: "Works like any other change: the current text becomes a former version.",
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

export const listTaskParticipants = list("GET /tasks/{task_id}/participants", "List the participants of a Task", {
  description:
    "Lists its creator, its current and former assignees, and its commenters, each once and in this " +
    "order. At most the latest 400 assignments are examined.",
  auth: [S, M],
  include: ["people"],
  items: TaskParticipant,
});
