// Timesheet of the member: a row for each Task, a cell for each day. Typing into a cell records time; clearing it
// deletes the entry.
import { useEffect, useState } from "react";
import { t } from "../messages/t.ts";
import { useTaskChoices } from "../projects/task-choices.tsx";
import { go, useAddress } from "../router.tsx";
import { useHome, weekStartOf } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useGroup, useReplica } from "../store/react.ts";
import type { TimeEntry } from "../store/rows.ts";
import { withQuery } from "../ui/address.ts";
import { Empty, IconButton } from "../ui/controls.tsx";
import { plusDays, today } from "../ui/formats/dates.ts";
import { clock } from "../ui/formats/duration.ts";
import { Picker } from "../ui/overlays/picker.tsx";
import { PageHead, Unread } from "../ui/page.tsx";
import { Cell } from "./cell.tsx";
import { linesOf, type TimesheetLine, weekFrom } from "./lines.ts";
import { loadTime, own } from "./operations.ts";
import { TimeTabs } from "./tabs.tsx";
import { startTimer } from "./timer.tsx";

export default function TimePage() {
  const replica = useReplica();
  const home = useHome();
  const now = today(home?.timezone);
  const asked = useAddress().searchParams.get("week") ?? "";
  const first = weekFrom(/^\d{4}-\d{2}-\d{2}$/.test(asked) ? asked : now, weekStartOf(home));
  const days = Array.from({ length: 7 }, (_, at) => plusDays(first, at));
  const last = days[6] as string;
  const { value, failed, again } = useReading(`time:${first}`, () => loadTime(replica, first, last), { on: /^time/ });
  const { ids } = useGroup("time_entry", own, "own");
  const [added, setAdded] = useState<readonly TimesheetLine["task"][]>([]);
  const entries = ids
    .flatMap((id) => replica.store.get("time_entry", id) ?? [])
    .filter(({ work_date }) => work_date >= first && work_date <= last);
  const lines = linesOf(entries, added);
  const show = (week: string) =>
    go(withQuery({ week: week === weekFrom(now, weekStartOf(home)) ? null : week }), { replace: true });
  useEffect(() => {
    document.title = `${t("time.title")} · svc`;
  }, []);
  const text = (day: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(home?.locale, { ...options, timeZone: "UTC" }).format(new Date(day));
  const sum = (some: readonly TimeEntry[]) => some.reduce((total, { seconds }) => total + seconds, 0);
  const disabled = useDisabled();
  return (
    <>
      <PageHead title={t("time.title")} tabs={TimeTabs("week")}>
        <IconButton icon="left" label={t("time.previousWeek")} onClick={() => show(plusDays(first, -7))} />
        <span aria-live="polite" className="min-w-40 text-center">
          {text(first, { day: "numeric", month: "short" })} –{" "}
          {text(last, { day: "numeric", month: "short", year: "numeric" })}
        </span>
        <IconButton icon="right" label={t("time.nextWeek")} onClick={() => show(plusDays(first, 7))} />
        <a
          href={`/api/v1/timesheets/me/export?from=${first}&to=${last}`}
          download={`time-${first}.csv`}
          className="btn btn-plain"
        >
          {t("time.csv")}
        </a>
      </PageHead>
      <div className="min-h-0 flex-1 overflow-auto">
        {disabled && <p className="bg-note-wash px-3 py-2 text-12">{t("time.disabled")}</p>}
        {value === undefined && entries.length === 0 ? (
          <Unread failed={failed} again={() => void again()} />
        ) : (
          <table aria-label={t("time.title")} className="w-full min-w-[46rem] border-collapse">
            <thead>
              <tr className="text-12 text-soft">
                <th scope="col" className="sticky left-0 bg-card px-3 py-2 text-left font-medium">
                  {t("time.task")}
                </th>
                {days.map((day) => (
                  <th
                    key={day}
                    scope="col"
                    aria-current={day === now ? "date" : undefined}
                    className={`w-20 py-2 text-center font-medium ${day === now ? "text-accent" : ""}`}
                  >
                    {text(day, { weekday: "short", day: "numeric" })}
                  </th>
                ))}
                <th scope="col" className="w-20 px-3 text-right font-medium">
                  {t("time.sum")}
                </th>
              </tr>
            </thead>
            <tbody>
              {lines.map(({ task, byDay: inDays }) => (
                <tr key={task.id} className="border-t border-line">
                  <th scope="row" className="sticky left-0 max-w-72 bg-card px-3 text-left font-normal">
                    <span className="flex items-center gap-2">
                      <span className="text-12 text-soft tabular-nums">{task.code}</span>
                      <span className="min-w-0 flex-1 truncate">{task.title ?? t("activity.gone")}</span>
                      {!disabled && task.code && (
                        <IconButton
                          icon="play"
                          label={t("time.startOn", { code: task.code })}
                          onClick={() => startTimer(replica, task.id, home?.timezone)}
                        />
                      )}
                    </span>
                  </th>
                  {days.map((day) => (
                    <td key={day} className="p-0.5">
                      <Cell
                        task={task}
                        day={day}
                        label={`${task.code ?? ""} ${text(day, { weekday: "long", day: "numeric", month: "long" })}`}
                        entries={inDays.get(day) ?? []}
                        disabled={disabled}
                      />
                    </td>
                  ))}
                  <td className="px-3 text-right font-medium tabular-nums">
                    {clock(sum([...inDays.values()].flat()))}
                  </td>
                </tr>
              ))}
            </tbody>
            {lines.length > 0 && (
              <tfoot>
                <tr className="border-t border-edge font-medium">
                  <th scope="row" className="sticky left-0 bg-card px-3 py-2 text-left font-medium">
                    {t("time.sum")}
                  </th>
                  {days.map((day) => (
                    <td key={day} className="text-center tabular-nums">
                      {clock(sum(entries.filter(({ work_date }) => work_date === day)))}
                    </td>
                  ))}
                  <td className="px-3 text-right tabular-nums" data-week-sum>
                    {clock(sum(entries))}
                  </td>
                </tr>
              </tfoot>
            )}
          </table>
        )}
        {value !== undefined && lines.length === 0 && <Empty title={t("time.empty")}>{t("time.emptyHelp")}</Empty>}
        {!disabled && <AddLine add={(task) => setAdded([...added, task])} />}
      </div>
    </>
  );
}
/** True if the Workspace has disabled time tracking. */
function useDisabled(): boolean {
  return (
    useReading("time-policy", async (api) => (await api.getTimeTracking()).enabled, { keep: true }).value === false
  );
}

function AddLine({ add }: { add: (task: TimesheetLine["task"]) => void }) {
  const { options, typed, find } = useTaskChoices({ near: true });
  return (
    <div className="p-3">
      <Picker
        label={t("time.add")}
        options={options}
        typed={typed}
        pick={(id) => {
          const { code, title } = find(id);
          add({ id, code, title });
          typed("");
        }}
        className="btn btn-plain"
      >
        {t("time.add")}
      </Picker>
    </div>
  );
}
