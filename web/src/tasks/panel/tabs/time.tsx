// Time entries of a Task, their sum, and a form that adds one.
import type { Operations } from "@svc/client";
import { useEffect, useState } from "react";
import { t } from "../../../messages/t.ts";
import { useHome } from "../../../store/current-member.ts";
import { isProvisional } from "../../../store/queue/change.ts";
import { useGroup, useReplica } from "../../../store/react.ts";
import type { Task, TimeEntry } from "../../../store/rows.ts";
import type { Index } from "../../../store/sorted-index.ts";
import { Button, Empty, IconButton } from "../../../ui/controls.tsx";
import { dayText, today } from "../../../ui/formats/dates.ts";
import { clock, secondsIn, written } from "../../../ui/formats/duration.ts";
import { recordTime, voidTime } from "../actions.ts";
import { useMayChange } from "../use-may-change.ts";

type Entry = Awaited<ReturnType<Operations["listTaskTimeEntries"]>>["items"][number];
/** The member's own entries come from the store; those of others are read with the Task. */
const byTask: Index<TimeEntry> = {
  groups: ({ task_id }) => [task_id],
  compare: (one, other) => (one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0),
};

function useEntries(task: Task): { entries: readonly Entry[]; loaded: boolean; hide: (id: string) => void } {
  const replica = useReplica();
  const { store, api } = replica;
  const id = store.real(task.id);
  const { ids } = useGroup("time_entry", byTask, id);
  const [listed, setListed] = useState<readonly Entry[]>();
  const [hidden, setHidden] = useState<readonly string[]>([]);
  useEffect(() => {
    let current = true;
    const load = async () => {
      const found: Entry[] = [];
      for await (const entry of api.listTaskTimeEntries({ task_id: id, limit: 100 })) found.push(entry);
      if (current) setListed(found);
    };
    if (!isProvisional(id)) load().catch(() => {});
    const stop = replica.onHints((hints) => {
      if (hints.some(({ kind, task_id }) => kind === "time_entry" && task_id === id)) load().catch(() => {});
    });
    return () => {
      current = false;
      stop();
    };
  }, [replica, api, id]);
  const own = ids.flatMap((each) => store.get("time_entry", each) ?? []);
  const known = new Set([...own.map((entry) => entry.id), ...hidden]);
  const others = (listed ?? []).filter((entry) => !known.has(entry.id));
  const hide = (gone: string) => setHidden((before) => [...before, gone]);
  return {
    entries: [...others, ...own.filter((entry) => !hidden.includes(entry.id))],
    loaded: listed !== undefined,
    hide,
  };
}

export function Time({ task }: { task: Task }) {
  const replica = useReplica();
  const home = useHome();
  const mayWrite = useMayChange(task);
  const { entries, loaded, hide } = useEntries(task);
  const total = entries.reduce((sum, { seconds }) => sum + seconds, 0);
  return (
    <>
      {mayWrite && <Recording task={task} />}
      {entries.length === 0 && loaded && <Empty title={t("panel.noTime")} />}
      {entries.length > 0 && <p className="py-2 font-medium">{t("panel.timeTotal", { time: clock(total) })}</p>}
      <ul>
        {entries.map((entry) => (
          <li key={entry.id} className="group flex min-h-8 items-center gap-3 border-t border-line py-1">
            <span className="w-16 shrink-0 tabular-nums">{clock(entry.seconds)}</span>
            <span className="w-20 shrink-0 text-12 text-soft">
              {dayText(entry.work_date, today(home?.timezone), home?.locale)}
            </span>
            <span className="min-w-0 flex-1 break-words">
              {entry.redacted ? t("panel.hidden") : entry.display_name}
              {entry.note && <span className="text-soft"> · {entry.note}</span>}
            </span>
            {mayWrite && entry.actor_id === replica.member.actorId && (
              <IconButton
                icon="trash"
                label={t("panel.voidTime", { time: clock(entry.seconds) })}
                onClick={() => {
                  hide(entry.id);
                  voidTime(replica, entry.id);
                }}
                className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
              />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Recording({ task }: { task: Task }) {
  const replica = useReplica();
  const home = useHome();
  const [wrong, setWrong] = useState(false);
  return (
    <form
      noValidate
      className="flex flex-wrap items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const value = (name: string) => String(new FormData(form).get(name) ?? "").trim();
        const seconds = secondsIn(value("duration"));
        setWrong(seconds === null);
        if (seconds === null) return (form.elements.namedItem("duration") as HTMLElement).focus();
        const work_date = value("day") || today(home?.timezone);
        recordTime(replica, task, { duration: written(seconds), work_date, note: value("note") });
        form.reset();
      }}
    >
      <div className="w-24">
        <input
          name="duration"
          aria-label={t("panel.duration")}
          aria-invalid={wrong}
          aria-describedby={wrong ? "duration-fault" : undefined}
          placeholder="1h 30m"
          maxLength={128}
          className="field w-full"
        />
      </div>
      <input
        name="day"
        type="date"
        aria-label={t("panel.day")}
        defaultValue={today(home?.timezone)}
        className="field w-36"
      />
      <input
        name="note"
        aria-label={t("panel.note")}
        placeholder={t("panel.note")}
        maxLength={2000}
        className="field min-w-32 flex-1"
      />
      <Button type="submit">{t("panel.record")}</Button>
      {wrong && (
        <p id="duration-fault" role="alert" className="w-full text-12 text-bad">
          {t("panel.durationFault")}
        </p>
      )}
    </form>
  );
}
