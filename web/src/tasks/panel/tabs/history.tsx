// Description history of a Task: earlier revisions, the newest first, each compared with its successor and restorable.
import type { Operations } from "@svc/client";
import { useEffect, useState } from "react";
import { Differing } from "../../../editor/text-comparison.tsx";
import { t } from "../../../messages/t.ts";
import { useHome } from "../../../store/current-member.ts";
import { useReplica } from "../../../store/react.ts";
import type { Task } from "../../../store/rows.ts";
import { Button, Empty, Skeleton } from "../../../ui/controls.tsx";
import { momentText } from "../../../ui/formats/dates.ts";
import { restoreDescription } from "../actions.ts";
import { useMayChange } from "../use-may-change.ts";

type Revision = Awaited<ReturnType<Operations["listTaskDescriptionRevisions"]>>["items"][number];

export function History({ task }: { task: Task }) {
  const replica = useReplica();
  const home = useHome();
  const mayWrite = useMayChange(task);
  const [revisions, setRevisions] = useState<readonly Revision[]>();
  const [open, setOpen] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when the Task has changed.
  useEffect(() => {
    let current = true;
    replica.api.listTaskDescriptionRevisions({ task_id: replica.store.real(task.id), limit: 50 }).then(
      ({ items }) => current && setRevisions(items),
      () => current && setRevisions((known) => known ?? []),
    );
    return () => {
      current = false;
    };
  }, [replica, task.id, task.revision]);
  if (!revisions) return <Skeleton rows={3} />;
  if (revisions.length === 0) return <Empty title={t("panel.noHistory")} />;
  return (
    <ol className="space-y-2">
      {revisions.map(({ revision, description_markdown, replaced_at, replaced_by_actor_id }, at) => {
        const after = revisions[at - 1]?.description_markdown ?? task.description_markdown ?? "";
        const isOpen = open === revision;
        const name = replica.store.get("person", replaced_by_actor_id)?.display_name ?? "";
        const when = momentText(replaced_at, home?.locale, home?.timezone);
        return (
          <li key={revision} className="rounded-lg border border-line">
            <div className="flex items-center gap-2 p-2">
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={() => setOpen(isOpen ? null : revision)}
                className="min-w-0 flex-1 cursor-pointer truncate text-left"
              >
                {t("panel.replaced", { name, when })}
              </button>
              {mayWrite && (
                <Button look="quiet" onClick={() => restoreDescription(replica, task, revision, description_markdown)}>
                  {t("panel.restore")}
                </Button>
              )}
            </div>
            {isOpen && <Differing before={description_markdown} after={after} />}
          </li>
        );
      })}
    </ol>
  );
}
