// Identifies the current page and pins it to a turn, at its current revision, through the public API. If the page has
// changed by the time the turn is sent, the service rejects the turn and asks the assistant nothing.
import type { Replica } from "../store/replica.ts";
import type { Task } from "../store/rows.ts";
import { filterNames } from "../tasks/filters/filters.ts";
import { restOf } from "../ui/address.ts";
import type { Pinned } from "./draft.ts";

export type Seen =
  | { kind: "task"; task: Task }
  | { kind: "document"; id: string; title: string }
  | { kind: "project"; id: string; name: string; query: Record<string, string> }
  | { kind: "search"; q: string };

/** Resolves the page from the address. An open Task takes precedence over the page behind it. */
export function seenAt({ store }: Replica, { pathname, searchParams }: URL): Seen | null {
  const [place, name = ""] = restOf(pathname).split("/").map(decodeURIComponent);
  const open = searchParams.get("task");
  const task = open
    ? store.get("task", open)
    : place === "tasks"
      ? [...store.all("task")].find(({ code }) => code === name)
      : undefined;
  if (task?.code) return { kind: "task", task };
  const page = place === "documents" && name ? store.get("document", name) : undefined;
  if (page) return { kind: "document", id: page.id, title: page.title };
  const project = place === "projects" ? [...store.all("project")].find(({ key }) => key === name) : undefined;
  if (project) {
    const query = filterNames.flatMap((each) => (searchParams.get(each) ? [[each, searchParams.get(each)]] : []));
    return { kind: "project", id: project.id, name: project.name, query: Object.fromEntries(query) };
  }
  const q = place === "search" ? (searchParams.get("q") ?? "").trim() : "";
  return q ? { kind: "search", q } : null;
}
export const labelOf = (seen: Seen) =>
  seen.kind === "task"
    ? `${seen.task.code} ${seen.task.title}`
    : seen.kind === "document"
      ? seen.title
      : seen.kind === "project"
        ? seen.name
        : `“${seen.q}”`;

/** Most Tasks that one turn may pin. */
const MOST_TASKS = 100;
export async function pin({ api, member }: Replica, seen: Seen): Promise<Pinned> {
  const { workspaceId: workspace_id } = member;
  const label = labelOf(seen);
  if (seen.kind === "search") {
    const { result_version } = await api.search({ workspace_id, q: seen.q });
    return { label, metadata: [{ kind: "search_result", query: seen.q, result_version: String(result_version) }] };
  }
  if (seen.kind === "project") {
    const found = await api.captureTaskResultSet({
      workspace_id,
      query: { project_id: seen.id, ...seen.query } as never,
    });
    const task_ids = found.tasks.slice(0, MOST_TASKS).map(({ id }) => id);
    if (task_ids.length === 0) return { label, metadata: [] };
    const chosen = await api.createTaskSelection({
      workspace_id,
      result_set_id: found.id,
      version: found.version,
      task_ids,
    });
    return { label, metadata: [{ kind: "task_selection", selection_id: chosen.id }] };
  }
  const sources =
    seen.kind === "document"
      ? [{ kind: "document" as const, id: seen.id }]
      : [
          { kind: "task_title" as const, id: seen.task.id },
          ...(seen.task.description_markdown || seen.task.description_excerpt
            ? [{ kind: "task_description" as const, id: seen.task.id }]
            : []),
        ];
  const { id, version } = await api.captureEvidence({ workspace_id, title: label.slice(0, 200), sources });
  return { label, metadata: [{ kind: "evidence_collection", id, version }] };
}
