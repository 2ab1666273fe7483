// Charts of a Project or Milestone: burn-up over time, and throughput by week.
import { useMemo } from "react";
import { t } from "../../messages/t.ts";
import { useHome, weekStartOf } from "../../store/current-member.ts";
import { useReplica } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { Chart } from "../../ui/chart/chart.tsx";
import { dayText, today } from "../../ui/formats/dates.ts";
import { burnUp, throughput } from "./figures.ts";

interface Props {
  tasks: readonly Task[];
  /** Target date, if there is one. */
  target?: string | null;
}
export function BurnUpChart({ tasks, target }: Props) {
  const { store } = useReplica();
  const home = useHome();
  const to = today(home?.timezone);
  const { days, scope, done } = useMemo(
    () => burnUp(tasks, (id) => store.get("status", id), to, undefined, home?.timezone),
    [tasks, store, to, home?.timezone],
  );
  const mark = target && days.includes(target) ? days.indexOf(target) : undefined;
  return (
    <Chart
      title={t("chart.burnUp")}
      labels={days.map((day) => dayText(day, to, home?.locale))}
      series={[
        { name: t("chart.scope"), values: scope, look: "line" },
        { name: t("chart.done"), values: done, look: "area" },
      ]}
      mark={mark}
    />
  );
}

export function ThroughputChart({ tasks }: Props) {
  const home = useHome();
  const to = today(home?.timezone);
  const { weeks, done } = throughput(tasks, to, {
    weekStart: weekStartOf(home),
    timezone: home?.timezone,
  });
  return (
    <Chart
      title={t("chart.throughput")}
      kind="bars"
      labels={weeks.map((day) => dayText(day, to, home?.locale))}
      series={[{ name: t("chart.done"), values: done, look: "area" }]}
    />
  );
}
