// The files of a Task.
import { list, M, op, S } from "../../../kit.ts";
import { AttachmentRow, attaching, MOST_ATTACHED, notAttached } from "../../attachments/attachments.ts";

export const listTaskAttachments = list(
  "GET /tasks/{task_id}/attachments",
  "List the attachments of a Task, newest first",
  { auth: [S, M], include: ["people", "task"], items: AttachmentRow },
);
export const attachToTask = op("POST /tasks/{task_id}/attachments", "Attach a file to a Task", {
  description:
    "Attaches a file that you have uploaded and that is not attached yet. It becomes visible to " +
    `everyone who sees the Task. A Task has at most ${MOST_ATTACHED}.`,
  auth: [S, M],
  ...attaching,
  errors: ["project_archived", ...notAttached, "task_trashed"],
});
