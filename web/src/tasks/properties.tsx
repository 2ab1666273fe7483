// Pickers for the properties of a Task, shared by card, list, panel and bulk edit.
import { useMemo } from "react";
import { type Key, t } from "../messages/t.ts";
import { useHome } from "../store/current-member.ts";
import { useFact, useGroup, useReplica, useRow, useStore } from "../store/react.ts";
import type { Replica } from "../store/replica.ts";
import type { Label, Person, Task } from "../store/rows.ts";
import type { Index } from "../store/sorted-index.ts";
import { colourOf } from "../ui/colour.ts";
import { Avatar } from "../ui/controls.tsx";
import { dayText, plusDays, today } from "../ui/formats/dates.ts";
import { Icon, type IconName, PriorityIcon, StatusIcon } from "../ui/icons.tsx";
import { Picker, type PickerOption } from "../ui/overlays/picker.tsx";
import { Popover } from "../ui/overlays/popover.tsx";
import { columnsFact, labelsFact, type ShownLabels } from "./load.ts";

export const priorities = ["urgent", "high", "medium", "low", "none"] as const;
const active: Index<Person> = {
  groups: ({ state }) => (state === "active" ? ["active"] : []),
  compare: (one, other) => (one.display_name ?? "").localeCompare(other.display_name ?? ""),
};
const byName: Index<Label> = {
  groups: ({ project_id }) => [project_id ?? "workspace"],
  compare: (one, other) => one.name.localeCompare(other.name),
};

/** Statuses of a Project in workflow order; until it is loaded, those of the Workspace. */
export const useColumns = (projectId: string | undefined) => useStore((replica) => columnsOf(replica, projectId));
export const columnsOf = ({ store }: Replica, projectId: string | undefined): readonly string[] =>
  store.fact<string[]>(columnsFact(projectId ?? "")) ?? store.fact<string[]>("statuses") ?? NONE;
const NONE: readonly string[] = [];

interface Props<T> {
  value: T;
  pick: (value: T) => void;
  /** Shows a text beside the icon. */
  long?: boolean;
  disabled?: boolean;
  open?: boolean;
  onClose?: () => void;
}

export function StatusPicker({
  projectId,
  value,
  pick,
  long,
  ...rest
}: Props<string> & { projectId: string | undefined }) {
  const { store } = useReplica();
  const status = useRow("status", value);
  const ids = useColumns(projectId);
  const options = () =>
    ids.flatMap((id): PickerOption[] => {
      const each = store.get("status", id);
      return each && !each.archived_at
        ? [{ id, label: each.name, icon: <StatusIcon category={each.category} color={each.color} /> }]
        : [];
    });
  return (
    <Picker label={t("task.status")} value={status?.name} options={options} chosen={[value]} pick={pick} {...rest}>
      <StatusIcon category={status?.category ?? "backlog"} color={status?.color} />
      {long && <span className="truncate">{status?.name}</span>}
    </Picker>
  );
}

export const priorityOptions = (): PickerOption[] =>
  priorities.map((id) => ({ id, label: t(`task.priority.${id}`), icon: <PriorityIcon priority={id} /> }));
export function PriorityPicker({ value, pick, long, ...rest }: Props<Task["priority"]>) {
  const name = t(`task.priority.${value}` as Key);
  return (
    <Picker
      label={t("task.priority")}
      value={name}
      options={priorityOptions}
      chosen={[value]}
      pick={(id) => pick(id as Task["priority"])}
      {...rest}
    >
      <PriorityIcon priority={value} />
      {long && <span className="truncate">{name}</span>}
    </Picker>
  );
}

const NOBODY = "nobody";
export function peopleOptions({ store, member }: Replica): PickerOption[] {
  const people = store.group("person", active, "active").ids.flatMap((id): PickerOption[] => {
    const person = store.get("person", id);
    if (!person) return [];
    const hint = id === member.actorId ? t("filter.me") : person.role === "agent" ? t("task.isAgent") : undefined;
    return [
      { id, label: person.display_name ?? "", words: person.username ?? "", icon: <Avatar person={person} />, hint },
    ];
  });
  return [{ id: NOBODY, label: t("task.nobody"), icon: <Avatar person={undefined} /> }, ...people];
}
export function usePeopleOptions(): PickerOption[] {
  const replica = useReplica();
  const people = useGroup("person", active, "active");
  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew when one of them has changed.
  return useMemo(() => peopleOptions(replica), [replica, people]);
}
export function AssigneePicker({ value, pick, long, ...rest }: Props<string | null>) {
  const replica = useReplica();
  const person = useRow("person", value);
  const name = person?.display_name ?? t("task.nobody");
  return (
    <Picker
      label={t("task.assignee")}
      value={name}
      options={() => peopleOptions(replica)}
      chosen={[value ?? NOBODY]}
      pick={(id) => pick(id === NOBODY ? null : id)}
      {...rest}
    >
      <Avatar person={person} />
      {long && <span className="truncate">{name}</span>}
    </Picker>
  );
}

export function LabelDot({ color }: { color: string }) {
  return <span aria-hidden="true" style={{ background: colourOf(color) }} className="size-2 shrink-0 rounded-full" />;
}
const useShownLabels = (projectId: string | undefined) => useFact<ShownLabels>(labelsFact(projectId ?? ""));
/** Label with the Project's override. */
export const labelShown = ({ store }: Replica, projectId: string | undefined, id: string) =>
  store.fact<ShownLabels>(labelsFact(projectId ?? ""))?.[id] ?? store.get("label", id);
export function labelOptions({ store }: Replica, projectId: string | undefined): PickerOption[] {
  const shown = store.fact<ShownLabels>(labelsFact(projectId ?? ""));
  const ids = ["workspace", projectId ?? ""].flatMap((name) => store.group("label", byName, name).ids);
  return ids.flatMap((id): PickerOption[] => {
    const label = store.get("label", id);
    const { name, color, hidden } = { hidden: false, ...label, ...shown?.[id] };
    return label && !hidden && (label.purpose === "task" || label.purpose === "general")
      ? [{ id, label: name as string, icon: <LabelDot color={color as string} /> }]
      : [];
  });
}
export function useLabelOptions(projectId: string | undefined): PickerOption[] {
  const replica = useReplica();
  const ofWorkspace = useGroup("label", byName, "workspace");
  const ofProject = useGroup("label", byName, projectId ?? "");
  const shown = useShownLabels(projectId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew when one of them has changed.
  return useMemo(() => labelOptions(replica, projectId), [ofWorkspace, ofProject, replica, shown]);
}
export function LabelsPicker({
  projectId,
  value,
  pick,
  long,
  ...rest
}: Props<string[]> & { projectId: string | undefined }) {
  const replica = useReplica();
  const { store } = replica;
  const toggle = (id: string) => pick(value.includes(id) ? value.filter((each) => each !== id) : [...value, id]);
  const shown = useShownLabels(projectId);
  const names = value.flatMap((id) => shown?.[id]?.name ?? store.get("label", id)?.name ?? []);
  return (
    <Picker
      label={t("task.labels")}
      value={names.join(", ")}
      options={() => labelOptions(replica, projectId)}
      chosen={value}
      pick={toggle}
      many
      {...rest}
    >
      {names.length === 0 && <Icon name="label" className="size-3.5 text-soft" />}
      {names.length === 0 && long && <span className="text-soft">{t("task.labels")}</span>}
      {names.length > 0 && <Labels ids={long ? value : value.slice(0, 3)} projectId={projectId} />}
    </Picker>
  );
}
export function Labels({ ids, projectId }: { ids: readonly string[]; projectId: string | undefined }) {
  const { store } = useReplica();
  const shown = useShownLabels(projectId);
  return (
    <>
      {ids.map((id) => {
        const label = shown?.[id] ?? store.get("label", id);
        return (
          label && (
            <span
              key={id}
              className="inline-flex h-5 max-w-32 items-center gap-1 rounded-full border border-line px-1.5 text-11 text-soft"
            >
              <LabelDot color={label.color} />
              <span className="truncate">{label.name}</span>
            </span>
          )
        );
      })}
    </>
  );
}

export function DatePicker({
  label,
  value,
  pick,
  long,
  isOver,
  icon = "calendar",
  ...rest
}: Props<string | null> & { label: string; isOver?: boolean; icon?: IconName }) {
  const home = useHome();
  const from = today(home?.timezone);
  const text = value ? dayText(value, from, home?.locale) : t("task.noDate");
  const late = value !== null && value < from && !isOver;
  const choices: [string, string | null][] = [
    [t("date.today"), from],
    [t("date.tomorrow"), plusDays(from, 1)],
    [t("date.nextWeek"), plusDays(from, 7)],
    [t("task.noDate"), null],
  ];
  return (
    <Popover
      open={rest.open}
      onClose={rest.onClose}
      button={(props) => (
        <button
          type="button"
          {...props}
          disabled={rest.disabled}
          aria-label={`${label}: ${text}`}
          title={`${label}: ${text}`}
          onClick={(event) => {
            event.stopPropagation();
            props.onClick?.(event);
          }}
          className={`picker ${late ? "text-bad" : value ? "" : "text-soft"}`}
        >
          <Icon name={icon} className="size-3.5" />
          {(long || value) && <span className="truncate tabular-nums">{text}</span>}
        </button>
      )}
    >
      {(close) => (
        <div className="w-52">
          <input
            type="date"
            aria-label={label}
            defaultValue={value ?? ""}
            onChange={(event) => event.target.value && pick(event.target.value)}
            onKeyDown={(event) => event.key === "Enter" && close()}
            className="field w-full"
          />
          {choices.map(([name, day]) => (
            <button
              key={name}
              type="button"
              onClick={() => {
                pick(day);
                close();
              }}
              className="flex min-h-8 w-full cursor-pointer items-center rounded-md px-2 hover:bg-hover focus-visible:bg-hover"
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}
