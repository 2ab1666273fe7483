// Card of a Milestone: progress at a glance; expanded: chart, Tasks, and all editable fields.
import { useMemo, useState } from "react";
import { t, tn } from "../../messages/t.ts";
import { useHome } from "../../store/current-member.ts";
import { useReplica, useRow } from "../../store/react.ts";
import type { Milestone } from "../../store/rows.ts";
import { openTask } from "../../ui/address.ts";
import { dayText, today } from "../../ui/formats/dates.ts";
import { isLate } from "../../ui/formats/due-date.ts";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import { Picker } from "../../ui/overlays/picker.tsx";
import { useTasks } from "../project.tsx";
import { BurnUpChart } from "./charts.tsx";

export interface Stage {
  id: string;
  name: string;
  category: string;
  color: string | null;
}
interface Props {
  id: string;
  stages: readonly Stage[];
  mayWrite: boolean;
}
export function MilestoneCard({ id, stages, mayWrite }: Props) {
  const replica = useReplica();
  const home = useHome();
  const milestone = useRow("milestone", id);
  const [isOpen, setOpen] = useState(false);
  if (!milestone) return null;
  const { name, target_date, progress } = milestone;
  const stage = stages.find((each) => each.id === milestone.stage_id);
  const from = today(home?.timezone);
  const late = isLate(target_date, from, stage?.category);
  return (
    <li data-milestone={name} className="rounded-xl border border-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 p-3">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 flex-1 basis-48 cursor-pointer items-center gap-2 text-left"
        >
          <Icon name={isOpen ? "down" : "right"} className="size-3.5 text-soft" />
          <h2 className="min-w-0 truncate text-14 font-semibold">{name}</h2>
        </button>
        <StagePicker milestone={milestone} stages={stages} disabled={!mayWrite} />
        <span className={`text-12 ${late ? "font-medium text-bad" : "text-soft"}`}>
          {target_date ? dayText(target_date, from, home?.locale) : t("task.noDate")}
          {late && ` · ${t("milestone.late")}`}
        </span>
        {mayWrite && (
          <Menu
            label={t("milestone.actions", { name })}
            isPicture
            className="icon-btn"
            groups={[
              {
                items: [
                  {
                    label: t("milestone.delete"),
                    icon: "trash",
                    run: () =>
                      void replica.make("deleteMilestone", {
                        ids: [id],
                        input: { milestone_id: replica.store.real(id) },
                      }),
                  },
                ],
              },
            ]}
          >
            <Icon name="more" />
          </Menu>
        )}
        <div className="flex basis-full items-center gap-3">
          <div aria-hidden="true" className="h-1.5 flex-1 overflow-hidden rounded-full bg-hover">
            <div className="h-full rounded-full bg-accent" style={{ width: `${progress.percent ?? 0}%` }} />
          </div>
          <span className="text-12 text-soft tabular-nums">
            {t("milestone.progress", {
              done: progress.completed,
              total: progress.total - progress.cancelled,
              percent: progress.percent ?? "–",
            })}
          </span>
        </div>
      </div>
      {isOpen && <Opened milestone={milestone} mayWrite={mayWrite} />}
    </li>
  );
}

function StagePicker({
  milestone,
  stages,
  disabled,
}: {
  milestone: Milestone;
  stages: readonly Stage[];
  disabled: boolean;
}) {
  const replica = useReplica();
  const stage = stages.find(({ id }) => id === milestone.stage_id);
  if (!stage) return null;
  return (
    <Picker
      label={t("field.stage")}
      value={stage.name}
      disabled={disabled}
      chosen={[stage.id]}
      options={stages.map(({ id, name, category, color }) => ({
        id,
        label: name,
        icon: <StatusIcon category={category} color={color} />,
      }))}
      pick={(stage_id) => change(replica, milestone.id, { stage_id })}
    >
      <StatusIcon category={stage.category} color={stage.color} />
      <span>{stage.name}</span>
    </Picker>
  );
}
function change(replica: ReturnType<typeof useReplica>, id: string, fields: Partial<Milestone>) {
  replica.make("updateMilestone", { ids: [id], input: { milestone_id: replica.store.real(id), ...fields } });
}

const NO_FILTERS = {};
function Opened({ milestone, mayWrite }: { milestone: Milestone; mayWrite: boolean }) {
  const replica = useReplica();
  const all = useTasks(milestone.project_id, NO_FILTERS);
  const tasks = useMemo(() => all.filter(({ milestone_id }) => milestone_id === milestone.id), [all, milestone.id]);
  const text = (name: "name" | "start_date" | "target_date", type: "text" | "date", label: string) => (
    <label className={type === "text" ? "min-w-48 flex-1" : ""}>
      <span className="mb-1 block text-12 text-soft">{label}</span>
      <input
        key={String(milestone[name])}
        type={type}
        defaultValue={milestone[name] ?? ""}
        disabled={!mayWrite}
        maxLength={200}
        onBlur={({ target }) => {
          const value = target.value.trim() || null;
          if (value === milestone[name] || (name === "name" && value === null)) return;
          change(replica, milestone.id, { [name]: value });
        }}
        className="field w-full"
      />
    </label>
  );
  return (
    <div className="space-y-4 border-t border-line p-3">
      <div className="flex flex-wrap gap-2">
        {text("name", "text", t("field.name"))}
        {text("start_date", "date", t("task.start"))}
        {text("target_date", "date", t("milestone.target"))}
      </div>
      <BurnUpChart tasks={tasks} target={milestone.target_date} />
      <section aria-label={tn("milestone.tasks", tasks.length)}>
        <h3 className="mb-1 text-12 font-medium text-soft">{tn("milestone.tasks", tasks.length)}</h3>
        <ul>
          {tasks.map((task) => {
            const status = replica.store.get("status", task.status_id);
            return (
              <li key={task.id}>
                <button type="button" onClick={() => openTask(task.id)} className="nav-item text-left">
                  <span title={status?.name}>
                    <StatusIcon category={status?.category ?? "backlog"} color={status?.color} />
                    <span className="sr-only">{status?.name}</span>
                  </span>
                  <span className="text-12 text-soft tabular-nums">{task.code}</span>
                  <span className="min-w-0 flex-1 truncate">{task.title}</span>
                </button>
              </li>
            );
          })}
        </ul>
      </section>
    </div>
  );
}
