// Applies one change to many Tasks. Tasks that cannot be changed are reported and do not stop the others.
import Type from "typebox";
import { exampleId } from "../../examples.ts";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, patch, Revision } from "../../types.ts";
import { LabelIds } from "../labels/assignments.ts";
import { writable } from "./tasks.ts";

const MOST_TASKS = 100;
const { title: _, description_markdown: __, ...plannable } = writable;

const Revisions = Type.Unsafe<Record<string, string>>({
  type: "object",
  maxProperties: MOST_TASKS,
  patternProperties: { "^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$": Revision },
  additionalProperties: false,
  examples: [{ [exampleId("task_id")]: "3" }],
  description: "Task id -> the revision that it must have, of those for which it matters.",
});

export const BulkChanges = patch({
  ...plannable,
  label_ids: { ...LabelIds, description: "In place of all that they bear." },
  add_label_ids: { ...LabelIds, description: "Behind those that they bear; at most 50 in all. Not beside label_ids." },
  remove_label_ids: {
    ...LabelIds,
    description: "From those that they bear, before others are added. Not beside label_ids.",
  },
  project_id: {
    ...Id,
    description:
      "Moves those that are in other Projects into this one, as moving each of them does; " +
      "the other changes are made there.",
  },
  trashed: Type.Boolean({ description: "true puts them into the trash, false takes them out of it." }),
});
export const BulkOutcome = object({
  task_id: Id,
  outcome: Type.Enum(["updated", "unchanged", "not_found", "forbidden", "conflict", "invalid"]),
  code: {
    ...nullable(Type.String()),
    description: "The error code that the Task alone would have been refused with; null where it was not refused.",
  },
  revision: { ...nullable(Revision), description: "As it is now; null where the Task is not found." },
});
export const BulkOutcomes = object({
  items: Type.Array(BulkOutcome, { maxItems: MOST_TASKS, description: "One for each Task, in the order asked for." }),
});

export const updateTasks = op("POST /workspaces/{workspace_id}/tasks/bulk", "Change up to 100 Tasks at once", {
  description:
    "The changes are made to every Task that can take them, in one transaction, and the answer says of each Task " +
    "what became of it. A Task that has all the values already is left as it is. " +
    "A Task in the trash takes nothing unless trashed is false.",
  auth: [S],
  takesNumber: true,
  body: object({
    task_ids: Type.Array(Id, { minItems: 1, maxItems: MOST_TASKS, uniqueItems: true }),
    changes: BulkChanges,
    revisions: Type.Optional(Revisions),
  }),
  example: { task_ids: [exampleId("task_id")], changes: { priority: "high", assignee_actor_id: null } },
  returns: BulkOutcomes,
});
