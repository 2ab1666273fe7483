// Timer for one Task, stored in this browser: it survives a reload and is shared by all tabs. Stopping it records a
// time entry.
import { useEffect, useState } from "react";
import { t } from "../messages/t.ts";
import { useHome } from "../store/current-member.ts";
import { useFact, useReplica } from "../store/react.ts";
import type { Replica } from "../store/replica.ts";
import { openTask } from "../ui/address.ts";
import { IconButton } from "../ui/controls.tsx";
import { today } from "../ui/formats/dates.ts";
import { clock, written } from "../ui/formats/duration.ts";
import { Icon } from "../ui/icons.tsx";
import { record } from "./operations.ts";

export interface Timer {
  taskId: string;
  code: string;
  title: string;
  startedAt: number;
}
const useTimer = () => useFact<Timer | null>("timer") ?? null;

const MOST_SECONDS = 24 * 3600;
/** One timer at a time: starting another one records the first. */
export function startTimer(replica: Replica, taskId: string, timezone?: string) {
  const task = replica.store.get("task", taskId);
  if (!task) return;
  stopTimer(replica, timezone);
  const timer: Timer = { taskId, code: task.code, title: task.title, startedAt: Date.now() };
  replica.setFact("timer", timer, true);
}
export function stopTimer(replica: Replica, timezone?: string) {
  const timer = replica.store.fact<Timer | null>("timer");
  if (!timer) return;
  replica.setFact("timer", null, true);
  const seconds = Math.min(MOST_SECONDS, Math.round((Date.now() - timer.startedAt) / 1000));
  if (seconds < 1) return;
  record(replica, {
    task: { id: timer.taskId, code: timer.code, title: timer.title },
    day: today(timezone, new Date(timer.startedAt)),
    duration: written(seconds),
  });
}

/** Button that starts and stops the timer of a Task. */
export function ClockButton({ taskId }: { taskId: string }) {
  const replica = useReplica();
  const timezone = useHome()?.timezone;
  const timer = useTimer();
  const runs = timer !== null && replica.store.real(timer.taskId) === replica.store.real(taskId);
  return (
    <IconButton
      icon={runs ? "stop" : "clock"}
      label={runs ? t("time.stopHere") : t("time.start")}
      aria-pressed={runs}
      onClick={() => (runs ? stopTimer(replica, timezone) : startTimer(replica, taskId, timezone))}
    />
  );
}

/** Running timer in the sidebar. */
export function RunningTimer() {
  const replica = useReplica();
  const home = useHome();
  const timer = useTimer();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!timer) return;
    setNow(Date.now());
    const tick = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(tick);
  }, [timer]);
  if (!timer) return null;
  return (
    <section
      aria-label={t("time.running")}
      className="flex items-center gap-1 rounded-md border border-line bg-card p-1"
    >
      <button type="button" onClick={() => openTask(timer.taskId)} className="nav-item min-w-0 flex-1">
        <Icon name="clock" className="size-4 text-accent" />
        <span className="min-w-0 flex-1 truncate text-left text-12">
          {timer.code} {timer.title}
        </span>
        <span className="text-12 font-medium tabular-nums">{clock((now - timer.startedAt) / 1000)}</span>
      </button>
      <IconButton icon="stop" label={t("time.stop")} onClick={() => stopTimer(replica, home?.timezone)} />
    </section>
  );
}
