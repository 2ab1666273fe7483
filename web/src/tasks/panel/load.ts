// Loads the comments, relations and attachments of an open Task into the store, and refreshes them while it is open.
// Persisted rows are shown meanwhile.
import { useEffect, useState } from "react";
import type { Brought } from "../../store/domain.ts";
import type { Hint } from "../../store/hints.ts";
import { isProvisional } from "../../store/queue/change.ts";
import { useConnection, useReplica } from "../../store/react.ts";
import type { Replica } from "../../store/replica.ts";
import type { Attachment, Comment, Relation, RowKind } from "../../store/rows.ts";
import type { Index } from "../../store/sorted-index.ts";
import { columnsFact, isHere } from "../load.ts";
import { listRelations, readComment, readSubscription } from "./operations.ts";

type Part = "comment" | "relation" | "attachment";
const inOrder = (one: { created_at: string }, other: { created_at: string }) =>
  one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0;
const index = <Row extends { task_id: string | null; created_at: string }>(): Index<Row> => ({
  groups: ({ task_id }) => (task_id ? [task_id] : []),
  compare: inOrder,
});
/** Rows of one Task, the oldest first; each kind has its own index. */
export const ofTask = {
  comment: index<Comment>(),
  relation: index<Relation>(),
  attachment: index<Attachment>(),
};

const lists: Record<Part, (replica: Replica, taskId: string) => Promise<Brought>> = {
  async comment({ api }, task_id) {
    const comment: Comment[] = [];
    for await (const row of api.listTaskComments({ task_id, limit: 100 })) comment.push(row);
    return { comment };
  },
  async attachment({ api }, task_id) {
    const attachment: Attachment[] = [];
    for await (const row of api.listTaskAttachments({ task_id, limit: 100 })) attachment.push(row);
    return { attachment };
  },
  relation: ({ api }, taskId) => listRelations(api, taskId),
};

/** Loads a complete list and removes held rows that are not listed any more. */
async function loadPart(replica: Replica, part: Part, taskId: string) {
  const { store } = replica;
  const before = [...store.allSaid(part)].filter((row) => (row as { task_id?: string }).task_id === taskId);
  const brought = await lists[part](replica, taskId);
  const listed = new Set(((brought[part] ?? []) as readonly { id: string }[]).map(({ id }) => id));
  const gone = before.filter((row) => !listed.has(row.id) && store.said(part as RowKind, row.id) === row);
  replica.take({ ...brought, gone: { [part]: gone.map(({ id }) => id) } });
}

const isAbout = (taskId: string, { kind, id, task_id }: Hint) =>
  task_id === taskId || (kind === "task" && id === taskId);

/** Loads these parts while the Task is open and refreshes them on hints; returns false until they are loaded. */
export function useParts(taskId: string, parts: readonly Part[]): boolean {
  const replica = useReplica();
  const isLive = useConnection() === "live";
  const [loaded, setLoaded] = useState(false);
  const names = parts.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a connection that is back is worth another try.
  useEffect(() => {
    const real = replica.store.real(taskId);
    if (isProvisional(real)) return;
    let open = true;
    const all = names.split(",") as Part[];
    const load = (some: readonly Part[]) => Promise.all(some.map((part) => loadPart(replica, part, real)));
    load(all).then(
      () => open && setLoaded(true),
      () => {},
    );
    const stop = replica.onHints((hints) => {
      const kinds = new Set(hints.filter((hint) => isAbout(real, hint)).map(({ kind }) => kind));
      const changed: Part[] = [];
      if (kinds.has("task")) changed.push("relation");
      if (kinds.has("attachment")) changed.push("attachment");
      load(changed.filter((part) => all.includes(part))).catch(() => {});
      // A reaction changes a comment without incrementing its revision.
      for (const { kind, id } of hints)
        if (kind === "comment" && all.includes("comment") && replica.store.said("comment", id))
          readComment(replica.api, id).then(replica.take, () => {});
    });
    return () => {
      open = false;
      stop();
    };
  }, [replica, taskId, names, isLive]);
  return loaded;
}

export function useSubscriptionOf(taskId: string) {
  const replica = useReplica();
  useEffect(() => {
    const real = replica.store.real(taskId);
    if (!isProvisional(real)) readSubscription(replica.api, real).then(replica.take, () => {});
  }, [replica, taskId]);
}

/** Loads the Statuses and Milestones of a Project that the store does not hold, for the pickers of the Task. */
export function useProjectOf(projectId: string | undefined) {
  const replica = useReplica();
  useEffect(() => {
    const { api } = replica;
    if (!projectId || isProvisional(projectId) || isHere(replica, projectId)) return;
    void Promise.all([
      api.listProjectStatuses({ project_id: projectId, limit: 100 }),
      api.listMilestones({ project_id: projectId, limit: 100 }),
    ]).then(
      ([statuses, milestones]) => {
        replica.take({ status: statuses.items, milestone: milestones.items });
        replica.setFact(
          columnsFact(projectId),
          statuses.items.map(({ id }) => id),
        );
      },
      () => {},
    );
  }, [replica, projectId]);
}
