// Task panel beside a page: title, properties and description; the lower part loads lazily. It opens by id, so that a
// new Task without a code can be shown.
import { lazy, Suspense, useEffect, useState } from "react";
import { t } from "../../messages/t.ts";
import { Link } from "../../router.tsx";
import { useMayWrite } from "../../store/current-member.ts";
import { useReplica, useRow, useStore } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { ClockButton } from "../../time/timer.tsx";
import { openTask, within } from "../../ui/address.ts";
import { Button, Empty, IconButton, Skeleton } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import { trash } from "../actions.ts";
import { duplicate, otherProjects } from "../move-task.ts";
import { readTask } from "../operations.ts";
import { branchName } from "./branch.ts";
import { DropZone } from "./drop-zone.tsx";
import { useProjectOf } from "./load.ts";
import { MoveTask } from "./move.tsx";
import { Parent } from "./parent.tsx";
import { Properties } from "./properties.tsx";
import { Description, Title } from "./text.tsx";
import { useMayChange } from "./use-may-change.ts";

/** Task with its description; undefined while it loads, null if it does not exist. */
export function useWholeTask(id: string): Task | null | undefined {
  const replica = useReplica();
  const task = useRow("task", id);
  const missing = useStore(({ store }) => store.fact<boolean>(`missing:${id}`));
  const isWhole = task !== undefined && (task.description_markdown !== undefined || id.startsWith("new-"));
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again with each revision.
  useEffect(() => {
    if (isWhole || id.startsWith("new-")) return;
    readTask(replica.api, id).then(
      (brought) => {
        replica.take(brought);
        if (brought.gone) replica.store.setFact(`missing:${id}`, true);
      },
      () => {},
    );
  }, [replica, id, isWhole, task?.revision]);
  return task ?? (missing ? null : undefined);
}

export function Panel({ taskId }: { taskId: string }) {
  const task = useWholeTask(taskId);
  return (
    <aside
      aria-label={t("task.panel", { code: task?.code ?? "" })}
      className="panel fixed inset-0 z-5 flex min-w-0 flex-col border-l border-line bg-card md:static md:w-[26rem] lg:w-[30rem]"
    >
      <Head task={task ?? undefined} />
      {task === null && <Empty title={t("task.gone")} />}
      {task === undefined && <Skeleton />}
      {task && <TaskBody task={task} />}
    </aside>
  );
}

function Head({ task }: { task: Task | undefined }) {
  return (
    <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line px-3">
      <span className="text-12 text-soft tabular-nums">{task?.code}</span>
      <span className="flex-1" />
      {task && <Clock task={task} />}
      {task?.code && (
        <Link
          to={within(`tasks/${task.code}`)}
          aria-label={t("task.openPage")}
          title={t("task.openPage")}
          className="icon-btn"
        >
          <Icon name="right" />
        </Link>
      )}
      {task && <TaskMenu task={task} gone={() => openTask(null)} moved={() => {}} />}
      <IconButton icon="close" label={t("ui.close")} onClick={() => openTask(null)} />
    </header>
  );
}

export function Clock({ task }: { task: Task }) {
  const mayWrite = useMayChange(task);
  return task.code && mayWrite ? <ClockButton taskId={task.id} /> : null;
}

/** Menu of a Task: commands other than editing. */
export function TaskMenu({ task, gone, moved }: { task: Task; gone: () => void; moved: (key: string) => void }) {
  const replica = useReplica();
  const [isMoving, setMoving] = useState(false);
  const [isHanded, setHanded] = useState(false);
  const mayWrite = useMayWrite();
  if (!task.code) return null;
  const copy = (text: string) => () => void navigator.clipboard.writeText(text);
  const putAway = {
    label: t("task.trash"),
    icon: "trash" as const,
    run() {
      trash(replica, task.id);
      gone();
    },
  };
  const again = {
    label: t("panel.duplicate"),
    run() {
      const id = duplicate(replica, task.id);
      if (id) openTask(id);
    },
  };
  const elsewhere = { label: t("panel.move"), run: () => setMoving(true) };
  const hand = { label: t("panel.delegate"), run: () => setHanded(true) };
  const mayMove = otherProjects(replica, task).length > 0;
  const menu = (
    <Menu
      label={t("task.panel", { code: task.code })}
      className="icon-btn"
      isPicture
      groups={[
        {
          items: [
            { label: t("task.copyCode"), run: copy(task.code) },
            { label: t("task.copyLink"), run: copy(location.origin + within(`tasks/${task.code}`)) },
            { label: t("panel.copyBranch"), run: copy(branchName(task)) },
          ],
        },
        ...(mayWrite && task.trashed_at === null
          ? [{ items: [again, ...(mayMove ? [elsewhere] : []), hand] }, { items: [putAway] }]
          : []),
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
  return (
    <>
      {menu}
      {isMoving && <MoveTask task={task} moved={moved} close={() => setMoving(false)} />}
      {isHanded && (
        <Suspense fallback={null}>
          <DelegateTask task={task} close={() => setHanded(false)} />
        </Suspense>
      )}
    </>
  );
}

const DelegateTask = lazy(() => import("../../agents/delegate-task.tsx"));
const Details = lazy(() => import("./details.tsx"));

/** Body of a Task, shared by panel and page; the page places the properties at the side. */
export function TaskBody({ task, wide = false }: { task: Task; wide?: boolean }) {
  useProjectOf(task.project_id);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <DropZone task={task}>
        <div className={wide ? "mx-auto grid max-w-6xl p-6 lg:grid-cols-[minmax(0,1fr)_18rem] lg:gap-x-10" : "p-4"}>
          <div>
            <Trashed task={task} />
            <Parent task={task} />
            <Title task={task} />
          </div>
          <div className={wide ? "lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:border-l lg:border-line lg:pl-6" : ""}>
            <Properties task={task} />
          </div>
          <div className="min-w-0">
            <Description task={task} />
            <Suspense fallback={<Skeleton rows={4} />}>
              <Details task={task} />
            </Suspense>
          </div>
        </div>
      </DropZone>
    </div>
  );
}

function Trashed({ task }: { task: Task }) {
  const replica = useReplica();
  const mayWrite = useMayWrite();
  if (task.trashed_at === null) return null;
  return (
    <p className="mb-3 flex items-center gap-2 rounded-lg bg-bad-wash px-3 py-2">
      <span className="flex-1">{t("panel.isTrashed")}</span>
      {mayWrite && (
        <Button onClick={() => replica.make("restoreTask", { ids: [task.id], input: { task_id: task.id } })}>
          {t("panel.restore")}
        </Button>
      )}
    </p>
  );
}
