// My Work: the member's Tasks of all Projects, and the current one.
import type { Operations } from "@svc/client";
import { useEffect, useRef, useState } from "react";
import { type Key, t } from "../messages/t.ts";
import { Link, useAddress } from "../router.tsx";
import { useConnection, useReplica } from "../store/react.ts";
import type { Task } from "../store/rows.ts";
import { withQuery } from "../ui/address.ts";
import { Button, Empty, Skeleton } from "../ui/controls.tsx";
import { useKeptScroll } from "../ui/scroll/scroll.ts";
import { CurrentWork } from "./current-work.tsx";
import { WorkRow } from "./row.tsx";
import { SinceLastVisit } from "./since-last-visit.tsx";

const views = ["assigned", "due_soon", "created", "reviewing", "following", "delegated", "completed"] as const;
type View = (typeof views)[number];
type Work = Awaited<ReturnType<Operations["getHomeWorkBaseline"]>>;
const labels: Record<View, Key> = {
  assigned: "work.assigned",
  due_soon: "work.due",
  created: "work.created",
  reviewing: "work.reviewing",
  following: "work.following",
  delegated: "work.delegated",
  completed: "work.completed",
};

/** Task ids in the service's order; the persisted list of the last visit is shown meanwhile. */
function useWork(view: View) {
  const replica = useReplica();
  const connection = useConnection();
  const name = `work:${view}`;
  const [ids, setIds] = useState<readonly string[] | undefined>(() => replica.store.fact(name));
  const [next, setNext] = useState<string | null>(null);
  const take = ({ work, catalogs }: Work) => {
    const statuses = Object.values(catalogs.statuses ?? {}) as { id: string }[];
    replica.store.quietly(() => {
      replica.take({ task: work.items as Task[] });
      for (const status of statuses)
        if (!replica.store.said("status", status.id)) replica.take({ status: [status as never] });
    });
    setNext(work.next_cursor);
    return work.items.map(({ id }) => id);
  };
  const workspace_id = replica.member.workspaceId;
  /** Reads a page and returns its ids in the service's order. */
  async function read(cursor?: string): Promise<string[]> {
    const on = cursor === undefined ? {} : { cursor };
    if (view !== "following") return take(await replica.api.getHomeWorkBaseline({ workspace_id, view, ...on }));
    const { items, next_cursor } = await replica.api.listSubscribedTasks({ workspace_id, limit: 100, ...on });
    replica.take({ task: items as unknown as Task[] });
    setNext(next_cursor);
    return items.map(({ id }) => id);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a connection that is back is worth another try.
  useEffect(() => {
    setIds(replica.store.fact(name));
    const show = () =>
      read().then(
        (listed) => {
          replica.setFact(name, listed);
          setIds(listed);
        },
        () => {},
      );
    void show();
    // Changes by others may add Tasks to this list.
    const stop = replica.onHints((hints) => {
      if (hints.some(({ kind }) => kind === "task")) void show();
    });
    return () => {
      stop();
    };
  }, [replica, view, name, connection]);
  async function more() {
    if (!next) return;
    const listed = await read(next);
    setIds([...new Set([...(ids ?? []), ...listed])]);
  }
  return { ids, more: next ? more : null };
}

export default function HomePage() {
  const { searchParams } = useAddress();
  const asked = searchParams.get("view") as View;
  const view = views.includes(asked) ? asked : "assigned";
  const { ids, more } = useWork(view);
  const scroller = useRef<HTMLDivElement>(null);
  useKeptScroll(scroller, view);
  useEffect(() => {
    document.title = `${t("work.title")} · svc`;
  }, []);
  return (
    <>
      <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1">
        <h1 className="text-14 font-semibold">{t("work.title")}</h1>
        <nav aria-label={t("work.title")} className="flex flex-wrap gap-0.5">
          {views.map((each) => (
            <Link
              key={each}
              to={withQuery({ view: each === "assigned" ? null : each, task: null })}
              aria-current={each === view ? "page" : undefined}
              className="tab"
            >
              {t(labels[each])}
            </Link>
          ))}
        </nav>
      </header>
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        <CurrentWork />
        {view === "assigned" && <SinceLastVisit />}
        {ids === undefined && <Skeleton rows={12} />}
        {ids?.length === 0 && <Empty title={t("work.empty")}>{t("work.emptyHelp")}</Empty>}
        {ids && ids.length > 0 && (
          <ul>
            {ids.map((id) => (
              <WorkRow key={id} id={id} />
            ))}
          </ul>
        )}
        {more && (
          <div className="p-3">
            <Button onClick={() => void more()}>{t("ui.more")}</Button>
          </div>
        )}
      </div>
    </>
  );
}
