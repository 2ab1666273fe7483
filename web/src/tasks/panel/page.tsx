// Page of a single Task, addressed by its code.
import { useEffect, useState } from "react";
import { t } from "../../messages/t.ts";
import { go, Link } from "../../router.tsx";
import { useMayWrite } from "../../store/current-member.ts";
import { useReplica, useRow, useStore } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { projectPath, within } from "../../ui/address.ts";
import { Empty, Skeleton } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { withCounts } from "../operations.ts";
import { useTaskKeys } from "../task-keys.tsx";
import { Clock, TaskBody, TaskMenu, useWholeTask } from "./panel.tsx";

export default function TaskPage({ params }: { params: Readonly<Record<string, string>> }) {
  const replica = useReplica();
  const code = (params.code ?? "").toUpperCase();
  const known = useStore(({ store }) => {
    for (const task of store.all("task")) if (task.code === code) return task.id;
    return null;
  });
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    if (known) return;
    replica.api
      .getTaskByCode({ workspace_id: replica.member.workspaceId, task_code: code, ...withCounts })
      .then((task) => {
        replica.take({ task: [task as unknown as Task] });
        // The address contains the code of the Task before it was moved.
        if (task.code !== code) go(within(`tasks/${task.code}`), { replace: true });
      })
      .catch(() => setMissing(true));
  }, [replica, code, known]);
  if (!known) return missing ? <Empty title={t("task.gone")} /> : <Skeleton />;
  return <Shown id={known} />;
}

function Shown({ id }: { id: string }) {
  const task = useWholeTask(id);
  const project = useRow("project", task?.project_id);
  const chooser = useTaskKeys(id, useMayWrite());
  useEffect(() => {
    if (task) document.title = `${task.code} ${task.title} · svc`;
  }, [task]);
  if (!task) return task === null ? <Empty title={t("task.gone")} /> : <Skeleton />;
  return (
    <>
      <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line px-3">
        {project && (
          <Link to={projectPath(project.key)} className="truncate text-soft no-underline hover:text-ink">
            {project.name}
          </Link>
        )}
        <Icon name="right" className="size-3 text-soft" />
        <h1 className="text-soft tabular-nums">
          {task.code} <span className="sr-only">{task.title}</span>
        </h1>
        <span className="flex-1" />
        <Clock task={task} />
        <TaskMenu
          task={task}
          gone={() => go(project ? projectPath(project.key) : within(""))}
          // The move changes the code and thereby this address: show the Task beside the board of its new Project
          // instead.
          moved={(key) => go(`${projectPath(key)}?task=${task.id}`)}
        />
      </header>
      <TaskBody task={task} wide />
      {chooser}
    </>
  );
}
