// The member's current Task, with suggestions. It is private.
import { t } from "../messages/t.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { openTask } from "../ui/address.ts";
import { Button } from "../ui/controls.tsx";
import { Icon, StatusIcon } from "../ui/icons.tsx";
import { Picker } from "../ui/overlays/picker.tsx";

export function CurrentWork() {
  const { api } = useReplica();
  const { value, again } = useReading("current-work", (client) => client.getCurrentWork(), { on: /^task/, keep: true });
  const candidates = useReading("work-candidates", (client) => client.listCurrentWorkCandidates(), {
    on: /^task/,
  }).value;
  if (!value) return null;
  const { task } = value;
  const options = (candidates?.items ?? []).map(({ task: each }) => ({
    id: each.id,
    label: each.title,
    words: each.code,
    hint: each.code,
    icon: <StatusIcon category={each.status.category} color={null} />,
  }));
  if (!task && options.length === 0) return null;
  // Refreshes also after a rejection.
  const say = (work: Promise<unknown>) => void work.then(again, again);
  return (
    <section
      aria-label={t("work.now")}
      className="flex min-h-11 flex-wrap items-center gap-2 border-b border-line px-3 py-1"
    >
      <h2 className="text-12 font-medium text-soft">{t("work.now")}</h2>
      {task ? (
        <>
          <button
            type="button"
            onClick={() => openTask(task.id)}
            className="flex min-w-0 cursor-pointer items-center gap-2 rounded-md px-1 hover:bg-hover"
          >
            <StatusIcon category={task.status.category} color={null} />
            <span className="text-12 text-soft tabular-nums">{task.code}</span>
            <span className="min-w-0 truncate font-medium">{task.title}</span>
          </button>
          <Button look="quiet" onClick={() => say(api.clearCurrentWork())}>
            {t("work.nothingNow")}
          </Button>
        </>
      ) : (
        <Picker label={t("work.choose")} options={options} pick={(id) => say(api.setCurrentWork({ task_id: id }))}>
          <Icon name="play" className="size-3.5" />
          {t("work.choose")}
        </Picker>
      )}
    </section>
  );
}
