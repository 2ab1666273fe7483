// Blocking relations between the displayed Tasks: read once for each blocked Task, and again when a relation changes.
import { useEffect, useState } from "react";
import { useReplica } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";

/** Pairs of ids: blocker and blocked Task. */
export function useBlocking(tasks: readonly Task[]): readonly (readonly [string, string])[] {
  const replica = useReplica();
  const [known, setKnown] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const [reads, setReads] = useState(0);
  const waiting = tasks.filter(({ counts, id }) => counts?.blocked && !id.startsWith("new-")).map(({ id }) => id);
  const names = waiting.join(",");
  useEffect(() => {
    const stop = replica.onHints((hints) => {
      if (!hints.some(({ kind }) => kind === "task_relation")) return;
      setKnown(new Map());
      setReads((count) => count + 1);
    });
    return () => void stop();
  }, [replica]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again after a relation has changed.
  useEffect(() => {
    let isShown = true;
    const asked = names.split(",").filter((id) => id !== "" && !known.has(id));
    const next = async () => {
      for (let id = asked.shift(); id !== undefined; id = asked.shift()) {
        const of = id;
        const { items } = await replica.api.listTaskRelations({ task_id: of, limit: 100 });
        const blockers = items.filter(({ kind }) => kind === "blocked_by").map(({ related_task }) => related_task.id);
        if (isShown) setKnown((before) => new Map(before).set(of, blockers));
      }
    };
    for (let lane = 0; lane < 3; lane++) next().catch(() => {});
    return () => {
      isShown = false;
    };
  }, [replica, names, reads]);
  return waiting.flatMap((id) => (known.get(id) ?? []).map((blocker) => [blocker, id] as const));
}
