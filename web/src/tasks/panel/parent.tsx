// Link to the parent Task, above the title.
import { t } from "../../messages/t.ts";
import { Link } from "../../router.tsx";
import { useGroup, useReplica, useRow } from "../../store/react.ts";
import type { Relation, Task } from "../../store/rows.ts";
import { within } from "../../ui/address.ts";
import { Icon } from "../../ui/icons.tsx";
import { ofTask } from "./load.ts";

export function useRelations(taskId: string): Relation[] {
  const { store } = useReplica();
  const { ids } = useGroup("relation", ofTask.relation, store.real(taskId));
  return ids.flatMap((id) => store.get("relation", id) ?? []);
}

export function Parent({ task }: { task: Task }) {
  const relations = useRelations(task.id);
  const known = useRow("task", task.parent_id);
  const parent = known ?? relations.find(({ related_task }) => related_task.id === task.parent_id)?.related_task;
  if (!task.parent_id || !parent) return null;
  return (
    <Link
      to={within(`tasks/${parent.code}`)}
      className="mb-2 inline-flex max-w-full items-center gap-1.5 text-12 text-soft no-underline hover:text-ink"
    >
      <Icon name="subtask" className="size-3.5" />
      <span className="truncate">{t("panel.partOf", { title: `${parent.code} ${parent.title}` })}</span>
    </Link>
  );
}
