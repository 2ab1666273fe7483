// Loads the Tasks of a Project into the store: first the board, which is visible, then everything else page by page.
// Afterwards hints refresh it.
import type { Operations, Problem } from "@svc/client";
import { allOf } from "../projects/operations.ts";
import { FIRST_CARDS } from "../store/first-rows.ts";
import type { Replica } from "../store/replica.ts";
import type { Status, Task } from "../store/rows.ts";
import { withCounts } from "./operations.ts";

/**
 * Fact with the load state of a Project: "begun" (nothing yet), "part" or "all". From "begun" on, hints about its rows
 * are followed.
 */
export const loadedFact = (projectId: string) => `loaded:${projectId}`;
export const isHere = ({ store }: Replica, projectId: string) =>
  ["part", "all"].includes(store.fact<string>(loadedFact(projectId)) ?? "");
export const columnsFact = (projectId: string) => `columns:${projectId}`;
/** Fact with the number of Tasks by column, as counted by the service. */
export const totalsFact = (projectId: string) => `totals:${projectId}`;

/** Fact with the label overrides of a Project, by label id. */
export const labelsFact = (projectId: string) => `labels:${projectId}`;
export type ShownLabels = Readonly<Record<string, { name: string; color: string; hidden: boolean }>>;
type ProjectLabel = Awaited<ReturnType<Operations["listProjectLabels"]>>["items"][number];

/** Stores the Project's own labels as rows, and the overrides of Workspace labels as a fact. */
export function bringLabels(replica: Replica, projectId: string, labels: readonly ProjectLabel[]) {
  replica.take({ label: labels.filter(({ project_id }) => project_id !== null) });
  const others = labels.filter(({ project_id, overridden }) => project_id === null && overridden);
  const shown = Object.fromEntries(others.map(({ id, name, color, hidden }) => [id, { name, color, hidden }]));
  if (JSON.stringify(shown) !== JSON.stringify(replica.store.fact(labelsFact(projectId)) ?? {}))
    replica.setFact(labelsFact(projectId), shown);
}

export const loadLabels = (replica: Replica, project_id: string) =>
  allOf(replica.api.listProjectLabels({ project_id, include_hidden: true, limit: 100 })).then(
    (labels) => bringLabels(replica, project_id, labels),
    () => {},
  );

const running = new Map<string, Promise<void>>();

/** Loads a Project at most once at a time; returns at once if it is fully loaded. */
export function loadProject(replica: Replica, projectId: string): Promise<void> {
  if (replica.store.fact(loadedFact(projectId)) === "all") return Promise.resolve();
  const known = running.get(projectId);
  if (known) return known;
  const work = load(replica, projectId)
    .catch((problem: Problem) => {
      if (problem.code !== "not_found") throw problem;
      replica.take({ gone: { project: [projectId] } });
    })
    .finally(() => running.delete(projectId));
  running.set(projectId, work);
  // Changes before the first response are not part of it, so hints must be followed from here on.
  if (replica.store.fact(loadedFact(projectId)) === undefined) replica.setFact(loadedFact(projectId), "begun");
  return work;
}

async function load(replica: Replica, project_id: string) {
  const { api, store, take } = replica;
  const before = new Map([...store.allSaid("task")].map((row) => [row.id, row as Task]));
  const board = await api.getProjectBoard({ project_id, limit: FIRST_CARDS, ...withCounts });
  take({
    status: board.columns.map(({ status }) => status as Status),
    task: board.columns.flatMap(({ items }) => items),
  });
  replica.setFact(
    columnsFact(project_id),
    board.columns.map(({ status }) => status.id),
  );
  replica.setFact(
    totalsFact(project_id),
    Object.fromEntries(board.columns.map(({ status, total }) => [status.id, total])),
  );
  if (!isHere(replica, project_id)) replica.setFact(loadedFact(project_id), "part");
  void api.listMilestones({ project_id, limit: 100 }).then(
    ({ items }) => take({ milestone: items }),
    () => {},
  );
  void loadLabels(replica, project_id);
  const seen = new Set<string>();
  if (board.columns.every(({ next_cursor }) => next_cursor === null))
    for (const { items } of board.columns) for (const { id } of items) seen.add(id);
  else {
    let cursor: string | undefined;
    do {
      const page = await api.listProjectTasks({ project_id, limit: 100, ...withCounts, ...(cursor && { cursor }) });
      take({ task: page.items });
      for (const { id } of page.items) seen.add(id);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
  // A previously held Task that was neither listed nor changed meanwhile is deleted or trashed.
  const gone = [...before.values()].filter(
    (task) => task.project_id === project_id && !seen.has(task.id) && store.said("task", task.id) === task,
  );
  take({ gone: { task: gone.map(({ id }) => id) } });
  replica.setFact(loadedFact(project_id), "all");
}

export const heldProjects = ({ store }: Replica) =>
  store.factNames().flatMap((name) => (name.startsWith("loaded:") ? [name.slice(7)] : []));
/**
 * Marks all held Projects as outdated, because the changes since the last visit are unavailable, and reloads the open
 * one.
 */
export async function reloadProjects(replica: Replica, held: readonly string[], openId: string | null) {
  const outdate = async (id: string) => {
    // Waits for a running load: its responses may be older than the missed changes.
    await running.get(id)?.catch(() => {});
    if (replica.store.fact(loadedFact(id)) === "all") replica.setFact(loadedFact(id), "part");
  };
  const outdated = new Map(held.map((id) => [id, outdate(id)]));
  if (!openId || !outdated.has(openId)) return;
  await outdated.get(openId);
  await loadProject(replica, openId);
}
