// Label assignments of a Task, Project or Document. They are replaced as a whole set, under the revision of that
// resource.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import { Capabilities, Id, object, Revision } from "../../types.ts";
import { ProjectLabelRow } from "./definitions.ts";

/** On one Task, Project or Document. */
export const MOST_LABELS = 50;
/** The full set, each once. */
export const LabelIds = Type.Array(Id, { maxItems: MOST_LABELS, uniqueItems: true });

export const TargetLabels = object({
  target_kind: Type.Enum(["task", "project", "document"]),
  target_id: Id,
  label_ids: Type.Array(Id, { description: "Ids in the order in which they were assigned." }),
  labels: Type.Array(ProjectLabelRow, { description: "The same labels, as the Project shows them." }),
  revision: { ...Revision, description: "Revision of the labelled Task, Project or Document." },
  capabilities: Capabilities,
});

export const getTargetLabels = op(
  "GET /{target_kind}/{target_id}/labels",
  "Read the labels of a Task, a Project or a Document",
  {
    description: "A native client can read the labels of Tasks only.",
    auth: [S, M],
    include: ["people"],
    returns: TargetLabels,
  },
);

export const replaceTargetLabels = op(
  "PUT /{target_kind}/{target_id}/labels",
  "Replace the labels of a Task, a Project or a Document",
  {
    description:
      "Replaces the full set. Each label must belong to the Workspace or the Project, and its purpose " +
      "must allow this kind. Advances the revision of the Task, Project or Document.",
    auth: [S],
    ifMatch: "required",
    body: object({ label_ids: LabelIds }),
    example: { label_ids: [] },
    returns: TargetLabels,
    errors: ["project_archived", "invalid_reference", "task_trashed", "document_trashed"],
  },
);
