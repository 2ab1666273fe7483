// Result sets: the ids and revisions of the Tasks that a query found, captured once. Reading one shows the Tasks'
// current values; the set changes only on an explicit refresh.
import Type from "typebox";
import { exampleId } from "../../examples.ts";
import { op } from "../../kit.ts";
import { howToFilter, howToSort, taskFilters } from "../../planning/tasks/lists/filters.ts";
import { TaskRow } from "../../planning/tasks/tasks.ts";
import { Id, nullable, object, Revision, several, single, Timestamp, Title } from "../../types.ts";
import {
  AtVersion,
  atVersion,
  FOR_EVERY_ROLE,
  paged,
  reading,
  Version,
  versioned,
  writing,
} from "./private-captures.ts";

/** Ids in one result set or selection. */
export const MOST_TASKS = 1_000;
/** Items per page. */
const PAGE = 100;

/** A query for Tasks: the filters of the Workspace's list, and a text. */
export const TaskQuery = object(
  {
    project_id: Type.Optional(several()),
    ...taskFilters,
    q: Type.Optional({
      ...Title(200),
      description:
        "Search words. Their results are ordered by relevance, unless sort is set; the trash is not " + "searched.",
      examples: ["gears"],
    }),
  },
  { examples: [{ category: "started", q: "gears" }] },
);

export const CapturedTask = object({
  id: Id,
  revision: { ...Revision, description: "Revision at the time of capture." },
});
export const TaskIdentities = Type.Array(CapturedTask, { maxItems: MOST_TASKS });

export const TaskResultSet = single(
  object({
    id: Id,
    ...versioned,
    query: TaskQuery,
    count: Type.Integer({ minimum: 0, maximum: MOST_TASKS }),
    complete: Type.Boolean({
      description:
        "Whether every matching Task is in the set. false: there may be more, because more than 1,000 " +
        "match, because the scan stopped early, or because of q: search ranks the best matches and does " +
        "not count the others.",
      examples: [true],
    }),
    tasks: { ...TaskIdentities, description: "Tasks in the order of the query." },
    created_at: { ...Timestamp, description: "Time of capture of this version." },
    expires_at: { ...Timestamp, description: "Time at which this version is deleted." },
  }),
);

const { id, code, project_id, title, status_id, priority, assignee_actor_id, milestone_id, due_date } =
  TaskRow.properties;
const { completed_at, trashed_at, revision, updated_at } = TaskRow.properties;
export const TaskPreview = object({
  id,
  code,
  project_id,
  title,
  status_id,
  priority,
  assignee_actor_id,
  milestone_id,
  due_date,
  completed_at,
  trashed_at,
  revision,
  updated_at,
});
export const HydratedTask = object({
  ...CapturedTask.properties,
  state: Type.Enum(["current", "changed", "unavailable"], {
    description:
      "current: unchanged since the capture. changed: the Task has another revision, which the preview " +
      "shows. unavailable: the Task is deleted, or you can no longer see it.",
  }),
  task: { ...nullable(TaskPreview), description: "Current Task; null if it is unavailable." },
});
export const HydratedTasks = { ...paged, items: Type.Array(HydratedTask, { maxItems: PAGE }) };
export const HydratedResultSet = object({ result_set_id: Id, version: Version, ...HydratedTasks });

/** Resources that the previews include. */
export const bringing = { rows: TaskPreview, include: ["status", "assignee", "project", "milestone"] } as const;
export const fromOffset = {
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MOST_TASKS - 1, default: 0, description: "Index of the first item." }),
  ),
};

export const captureTaskResultSet = op(
  "POST /workspaces/{workspace_id}/task-result-sets",
  "Capture the Tasks of a query",
  {
    description:
      "With query alone it creates a set of the first 1,000 matching Tasks, with their revisions. With " +
      "result_set_id and its latest version it runs the same query again, into the next version. " +
      `${howToFilter} sort as on GET /workspaces/{workspace_id}/tasks; ${howToSort} A version is ` +
      `retained for 7 days, and a member has at most 500. ${FOR_EVERY_ROLE}`,
    ...writing,
    body: object({
      query: Type.Optional(TaskQuery),
      result_set_id: Type.Optional(Id),
      version: Type.Optional({ ...Version, description: "Latest version of result_set_id." }),
    }),
    example: { query: { category: "started", assignee_actor_id: exampleId("assignee_actor_id") } },
    returns: TaskResultSet,
    errors: ["revision_conflict", "too_many_kept"],
  },
);

export const getTaskResultSet = op("GET /workspaces/{workspace_id}/task-result-sets/{id}", "Read a result set", {
  description: "Returns your private set: the captured Tasks, without their current state.",
  ...reading,
  query: AtVersion,
  returns: TaskResultSet,
});

export const hydrateTaskResultSet = op(
  "GET /workspaces/{workspace_id}/task-result-sets/{id}/hydrate",
  "Read the current Tasks of a result set",
  {
    description: "Returns 100 Tasks at a time, as far as you may see them now.",
    ...reading,
    ...bringing,
    query: object({ ...atVersion, ...fromOffset }),
    returns: HydratedResultSet,
  },
);
