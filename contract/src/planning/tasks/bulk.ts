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
  description: "Required revision by Task id, for the Tasks that need one.",
});

export const BulkChanges = patch({
  ...plannable,
  label_ids: { ...LabelIds, description: "Labels that replace all current ones." },
  add_label_ids: {
    ...LabelIds,
    description: "Labels to append to the current ones; at most 50 in all. Not together with label_ids.",
  },
  remove_label_ids: {
    ...LabelIds,
    description: "Labels to remove from the current ones, before others are added. Not together with label_ids.",
  },
  project_id: {
    ...Id,
    description:
      "Moves Tasks in other Projects into this one, by the rules of moving each Task; the other changes " +
      "are made there.",
  },
  trashed: Type.Boolean({ description: "true moves the Tasks to the trash, false restores them." }),
});
export const BulkOutcome = object({
  task_id: Id,
  outcome: Type.Enum(["updated", "unchanged", "not_found", "forbidden", "conflict", "invalid"]),
  code: {
    ...nullable(Type.String()),
    description: "The error code of the refusal for this Task; null if the Task was not refused.",
  },
  revision: { ...nullable(Revision), description: "Current revision; null if the Task is not found." },
});
export const BulkOutcomes = object({
  items: Type.Array(BulkOutcome, {
    maxItems: MOST_TASKS,
    description: "One outcome for each Task, in the order of the request.",
  }),
});

export const updateTasks = op("POST /workspaces/{workspace_id}/tasks/bulk", "Change up to 100 Tasks at once", {
  description:
    "Changes all Tasks that accept the changes, in one transaction, and returns the outcome of each " +
    "Task. A Task that already has all the values does not change. A Task in the trash cannot be " +
    "changed unless trashed is false.",
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
