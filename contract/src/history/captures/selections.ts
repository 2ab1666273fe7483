// Selections: Tasks picked from a result set. A selection never changes.
import Type from "typebox";
import { exampleId } from "../../examples.ts";
import { op } from "../../kit.ts";
import { Id, object, single, Timestamp } from "../../types.ts";
import { FOR_EVERY_ROLE, reading, Version, writing } from "./private-captures.ts";
import { bringing, fromOffset, HydratedTasks, MOST_TASKS, TaskIdentities } from "./result-sets.ts";

export const TaskSelection = single(
  object({
    id: Id,
    result_set_id: { ...Id, description: "Result set of the selection; it may be deleted before the selection is." },
    version: { ...Version, description: "Version of the result set." },
    count: Type.Integer({ minimum: 1, maximum: MOST_TASKS }),
    tasks: {
      ...TaskIdentities,
      description: "Selected Tasks in the order of selection, at the captured revisions.",
    },
    created_at: Timestamp,
    expires_at: { ...Timestamp, description: "Time at which the selection is deleted." },
  }),
);
export const HydratedSelection = object({ selection_id: Id, ...HydratedTasks });

export const createTaskSelection = op(
  "POST /workspaces/{workspace_id}/task-selections",
  "Select Tasks of a result set",
  {
    description:
      "Creates an immutable selection: neither its Tasks nor their revisions change. It is retained for " +
      `7 days, and a member has at most 500. ${FOR_EVERY_ROLE}`,
    ...writing,
    body: object({
      result_set_id: Id,
      version: Version,
      task_ids: Type.Array(Id, { minItems: 1, maxItems: MOST_TASKS, uniqueItems: true }),
    }),
    example: { result_set_id: exampleId("result_set_id"), version: 1, task_ids: [exampleId("task_id")] },
    returns: TaskSelection,
    errors: ["too_many_kept"],
  },
);

export const getTaskSelection = op("GET /workspaces/{workspace_id}/task-selections/{id}", "Read a selection", {
  description: "Returns your private selection: the selected Tasks, without their current state.",
  ...reading,
  returns: TaskSelection,
});

export const hydrateTaskSelection = op(
  "GET /workspaces/{workspace_id}/task-selections/{id}/hydrate",
  "Read the current Tasks of a selection",
  {
    description: "Returns 100 Tasks at a time, as far as you may see them now.",
    ...reading,
    ...bringing,
    query: object(fromOffset),
    returns: HydratedSelection,
  },
);
