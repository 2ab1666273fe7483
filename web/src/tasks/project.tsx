// Shared hooks of the Project views: load the Tasks, and filter them by the address.
import { useEffect, useMemo } from "react";
import { useProjectByKey } from "../projects/page.tsx";
import { useAddress } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useConnection, useGroup, useReplica, useStore } from "../store/react.ts";
import type { Project, Task } from "../store/rows.ts";
import { today } from "../ui/formats/dates.ts";
import { type FilterContext, type Filters, filtersIn, isFiltered, passes } from "./filters/filters.ts";
import { byProject } from "./indexes.ts";
import { loadedFact, loadProject } from "./load.ts";

/** Project by key; also loads its Tasks. */
export function useProject(key: string): Project | undefined {
  const replica = useReplica();
  const connection = useConnection();
  const project = useProjectByKey(key);
  const id = project?.id;
  const isMade = id !== undefined && !id.startsWith("new-");
  const loaded = useStore(({ store }) => (id ? store.fact(loadedFact(id)) : undefined));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a connection that is back is worth another try.
  useEffect(() => {
    if (isMade) replica.whole.then(() => loadProject(replica, id)).catch(() => {});
  }, [replica, id, isMade, connection, loaded]);
  return project;
}

/** Stable while only the open Task in the address changes: otherwise ten thousand Tasks would be sorted again. */
export const useFilters = (): Filters => {
  const query = new URLSearchParams(useAddress().search);
  query.delete("task");
  const named = query.toString();
  return useMemo(() => filtersIn(new URLSearchParams(named)), [named]);
};

/** Stable until the end of the day. */
export function useFilterContext(): FilterContext {
  const { store } = useReplica();
  const now = today(useHome()?.timezone);
  return useMemo(() => ({ statusOf: (id) => store.get("status", id), today: now }), [store, now]);
}

/** Filtered Tasks of a Project, newest first. */
export function useTasks(projectId: string, filters: Filters): Task[] {
  const { store } = useReplica();
  const group = useGroup("task", byProject, projectId);
  const context = useFilterContext();
  return useMemo(
    () =>
      group.ids.flatMap((id) => {
        const task = store.get("task", id);
        return task && (!isFiltered(filters) || passes(task, filters, context)) ? [task] : [];
      }),
    [group, filters, context, store],
  );
}
