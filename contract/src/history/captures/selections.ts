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
    result_set_id: { ...Id, description: "What it was chosen from; it may be forgotten before the selection is." },
    version: { ...Version, description: "Of the result set." },
    count: Type.Integer({ minimum: 1, maximum: MOST_TASKS }),
    tasks: {
      ...TaskIdentities,
      description: "In the order in which they were chosen, at the revisions that were captured.",
    },
    created_at: Timestamp,
    expires_at: { ...Timestamp, description: "When it is forgotten." },
  }),
);
export const HydratedSelection = object({ selection_id: Id, ...HydratedTasks });

export const createTaskSelection = op(
  "POST /workspaces/{workspace_id}/task-selections",
  "Select Tasks of a result set",
  {
    description:
      "Frozen: neither the Tasks nor their revisions change. It is kept for 7 days, " +
      "and a member keeps at most " +
      `500. ${FOR_EVERY_ROLE}`,
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
  description: "Yours alone: the Tasks that were chosen, without a look at what became of them.",
  ...reading,
  returns: TaskSelection,
});

export const hydrateTaskSelection = op(
  "GET /workspaces/{workspace_id}/task-selections/{id}/hydrate",
  "Read the Tasks of a selection as they are now",
  {
    description: "100 at a time, under what you may see now.",
    ...reading,
    ...bringing,
    query: object(fromOffset),
    returns: HydratedSelection,
  },
);
