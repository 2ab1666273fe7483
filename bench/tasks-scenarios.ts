// Requests to a Workspace full of Tasks, each with the service's statement for it, to be timed alone.

import { examine } from "../server/src/history/activity/store.ts";
import { findMatches } from "../server/src/knowledge/search/store.ts";
import { materialOf } from "../server/src/planning/tasks/context/store.ts";
import { listTasks, type TaskFilters } from "../server/src/planning/tasks/lists/store.ts";
import { listWork, type WorkView } from "../server/src/planning/tasks/own-work/work-store.ts";
import { examineTasks } from "../server/src/planning/tasks/subscriptions/store.ts";
import type { Queries } from "../server/src/platform/database/db.ts";
import { LAST_ID } from "../server/src/platform/wire/ids.ts";
import type { FilledTasks } from "./tasks-data.ts";

export interface TaskScenario {
  name: string;
  /** owner sees everything, member a part. */
  caller: "owner" | "member";
  /** Several paths are requested one after the other, or all at once. */
  paths(on: FilledTasks): string[];
  atOnce?: boolean;
  /** Number of pages to skip; 0 is the first page. */
  page?: number;
  /** Uses a token instead of a session. */
  token?: boolean;
  /** The statement that answers the request. */
  bare?(tx: Queries, on: FilledTasks): Promise<unknown>;
  /** The query of plain full text search. */
  plain?(on: FilledTasks): string;
}

const LIMIT = 50;
const first = { after: null, limit: LIMIT };
const queryOf = (filters: object) => new URLSearchParams(Object.entries(filters)).toString();
const list = (
  name: string,
  filters: (on: FilledTasks) => TaskFilters,
  { caller = "owner", page = 0 }: { caller?: TaskScenario["caller"]; page?: number } = {},
): TaskScenario => ({
  name: `W/tasks ${name}${caller === "member" ? ", member" : ""}${page > 0 ? ", late page" : ""}`,
  caller,
  page,
  paths: (on) => [`/workspaces/${on.data.workspaceId}/tasks?${queryOf({ limit: LIMIT, ...filters(on) })}`],
  bare: page > 0 ? undefined : (tx, on) => listTasks(tx, filters(on), first),
});
const LATE = { page: 12 };
const asMember = { caller: "member" } as const;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const assigneeOf = ({ data }: FilledTasks) => data.people[1]?.actorId ?? "";

const lists = [
  list("sort=updated", () => ({})),
  list("sort=updated", () => ({}), asMember),
  list("sort=updated", () => ({}), LATE),
  list("sort=created", () => ({ sort: "created" })),
  list("sort=due", () => ({ sort: "due" })),
  list("sort=due", () => ({ sort: "due" }), LATE),
  list("sort=priority", () => ({ sort: "priority" })),
  list("sort=priority", () => ({ sort: "priority" }), LATE),
  list("status", ({ statusIds }) => ({ status_id: statusIds["In Progress"] as string })),
  list("status", ({ statusIds }) => ({ status_id: statusIds["In Progress"] as string }), LATE),
  list("category", () => ({ category: "cancelled" })),
  list("assignee", (on) => ({ assignee_actor_id: assigneeOf(on) })),
  list("assignee", (on) => ({ assignee_actor_id: assigneeOf(on) }), LATE),
  list("no assignee", () => ({ assignee_actor_id: "none" })),
  list("label", ({ labelId }) => ({ label_id: labelId })),
  list("label, sort=created", ({ labelId }) => ({ label_id: labelId, sort: "created" })),
  list("milestone", ({ milestoneId }) => ({ milestone_id: milestoneId })),
  list("priority", () => ({ priority: "urgent" })),
  list("due range", () => ({ due_after: daysAgo(300).slice(0, 10), due_before: daysAgo(0).slice(0, 10), sort: "due" })),
  list("text, dense", ({ words }) => ({ text: words.dense })),
  list("text, rare", ({ words }) => ({ text: words.rare })),
  list("updated_since", () => ({ updated_since: daysAgo(30) })),
  list("project", ({ data }) => ({ project_id: data.projectIds[0] as string })),
  list("combination", (on) => ({
    project_id: on.data.projectIds[0] as string,
    category: "completed",
    updated_since: daysAgo(700),
  })),
];

const ofProject: TaskScenario = {
  name: "P/tasks",
  caller: "owner",
  paths: ({ data }) => [`/projects/${data.projectIds[0]}/tasks?limit=${LIMIT}`],
  bare: (tx, { data }) => listTasks(tx, { project_id: data.projectIds[0], sort: "created" }, first),
};

const work = (view: WorkView): TaskScenario => ({
  name: `W/work ${view}`,
  caller: "owner",
  paths: ({ data }) => [`/workspaces/${data.workspaceId}/work?limit=${LIMIT}&view=${view}`],
  bare: (tx) => listWork(tx, { view }, first),
});
const views = (["assigned", "created", "reviewing", "delegated", "due_soon", "completed"] as const).map(work);
const subscribed: TaskScenario = {
  name: "W/subscribed-tasks",
  caller: "owner",
  paths: ({ data }) => [`/workspaces/${data.workspaceId}/subscribed-tasks?limit=${LIMIT}`],
  bare: (tx) => examineTasks(tx, "following", LAST_ID, LIMIT + 1),
};

const search = (
  name: string,
  q: (on: FilledTasks) => string,
  { caller = "owner", projectId }: { caller?: TaskScenario["caller"]; projectId?: (on: FilledTasks) => string } = {},
): TaskScenario => ({
  name: `search ${name}${caller === "member" ? ", member" : ""}`,
  caller,
  paths: (on) => {
    const asked = { q: q(on), limit: LIMIT, ...(projectId ? { project_id: projectId(on) } : {}) };
    return [`/workspaces/${on.data.workspaceId}/search?${queryOf(asked)}`];
  },
  bare: (tx, on) => findMatches(tx, { q: q(on), projectId: projectId?.(on) }, first),
  plain: (on) =>
    `${q(on)
      .split(" ")
      .map((word) => `w${on.data.workspaceId.slice(-8)}${word}`)
      .join(" & ")}:*`,
});
/** Swaps two letters. */
const mistyped = (word: string) => `${word.slice(0, 2)}${word[3]}${word[2]}${word.slice(4)}`;
const searches = (["owner", "member"] as const).flatMap((caller) => [
  search("rare word", ({ words }) => words.rare, { caller }),
  search("medium word", ({ words }) => words.medium, { caller }),
  search("dense word", ({ words }) => words.dense, { caller }),
  search("two words", ({ words }) => `${words.dense} ${words.medium}`, { caller }),
  search("rare and dense word", ({ words }) => `${words.rare} ${words.dense}`, { caller }),
  search("beginning of a word", ({ words }) => words.rare.slice(0, 3), { caller }),
  search("mistyped word", ({ words }) => mistyped(words.rare), { caller }),
  search("code", ({ task }) => task.code, { caller }),
  search("medium word in one Project", ({ words }) => words.medium, {
    caller,
    projectId: ({ privateProjectId }) => privateProjectId,
  }),
]);

const activity = (
  name: string,
  path: (on: FilledTasks) => string,
  to: (on: FilledTasks) => Parameters<typeof examine>[5],
): TaskScenario => ({
  name: `activity of a ${name}`,
  caller: "member",
  paths: (on) => [`${path(on)}/activity?limit=${LIMIT}`],
  bare: (tx, on) => examine(tx, "-infinity", "infinity", ["infinity", LAST_ID], LIMIT + 1, to(on)),
});
const feeds = [
  activity(
    "Workspace",
    ({ data }) => `/workspaces/${data.workspaceId}`,
    () => null,
  ),
  activity(
    "Project",
    ({ data }) => `/projects/${data.projectIds[0]}`,
    ({ data }) => ({ projectId: data.projectIds[0] as string }),
  ),
  activity(
    "Task",
    ({ task }) => `/tasks/${task.id}`,
    ({ task }) => ({ taskId: task.id }),
  ),
];

const detail: TaskScenario = {
  name: "Task with everything, 9 reads at once",
  caller: "member",
  atOnce: true,
  paths: ({ task, data }) => [
    `/tasks/${task.id}`,
    ...["comments", "relations", "attachments", "participants", "subscription", "activity", "time-entries"].map(
      (part) => `/tasks/${task.id}/${part}`,
    ),
    `/projects/${data.projectIds[0]}/label-definitions`,
  ],
};
const contexts = (["compact", "full"] as const).map(
  (profile): TaskScenario => ({
    name: `CLI context, ${profile}`,
    caller: "member",
    token: true,
    paths: ({ task }) => [`/cli/tasks/${task.code}/context?profile=${profile}`],
    bare: (tx, { task }) => materialOf(tx, task.id, profile),
  }),
);
const cliLists: TaskScenario[] = [
  { name: "CLI my-work", caller: "owner", token: true, paths: () => [`/cli/my-work?limit=${LIMIT}`] },
];

export const taskScenarios: TaskScenario[] = [
  ...lists,
  ofProject,
  ...views,
  subscribed,
  ...searches,
  ...feeds,
  detail,
  ...contexts,
  ...cliLists,
];
