// Head of a list group: the common value, the number of Tasks, and a toggle.
import { type Key, t } from "../../messages/t.ts";
import { useHome } from "../../store/current-member.ts";
import { useReplica } from "../../store/react.ts";
import type { Replica } from "../../store/replica.ts";
import { Avatar } from "../../ui/controls.tsx";
import { dayText, today } from "../../ui/formats/dates.ts";
import { Icon, PriorityIcon, StatusIcon } from "../../ui/icons.tsx";
import { byDate } from "../indexes.ts";
import { LabelDot, labelOptions, labelShown } from "../properties.tsx";
import type { Grouping } from "./arrangement.ts";

/** Groups that are not sorted by id: labels by name, Milestones by date. */
export function namedGroups(replica: Replica, projectId: string, by: Grouping): readonly string[] {
  if (by === "label") return labelOptions(replica, projectId).map(({ id }) => id);
  return by === "milestone" ? replica.store.group("milestone", byDate, projectId).ids : [];
}

interface Props {
  by: Grouping;
  id: string;
  projectId: string;
  count: number;
  isClosed: boolean;
  toggle: () => void;
}
export function GroupHead({ by, id, projectId, count, isClosed, toggle }: Props) {
  const replica = useReplica();
  const home = useHome();
  const { store } = replica;
  const status = by === "status" ? store.get("status", id) : undefined;
  const isPerson = by === "assignee" || by === "creator";
  const person = isPerson ? store.get("person", id) : undefined;
  const label = by === "label" ? labelShown(replica, projectId, id) : undefined;
  const name = {
    status: () => status?.name,
    assignee: () => person?.display_name ?? t("task.nobody"),
    creator: () => person?.display_name ?? t("ui.none"),
    priority: () => t(`task.priority.${id}` as Key),
    label: () => label?.name ?? t("ui.none"),
    milestone: () => store.get("milestone", id)?.name ?? t("ui.none"),
    due: () => (id === "none" ? t("task.noDate") : dayText(id, today(home?.timezone), home?.locale)),
    start: () => (id === "none" ? t("task.noDate") : dayText(id, today(home?.timezone), home?.locale)),
    none: () => "",
  }[by]();
  return (
    <button
      type="button"
      aria-expanded={!isClosed}
      onClick={toggle}
      className="flex h-9 w-full cursor-pointer items-center gap-2 border-b border-line bg-sunken px-3 text-left font-medium"
    >
      <Icon name={isClosed ? "right" : "down"} className="size-3.5 text-soft" />
      {by === "status" && <StatusIcon category={status?.category ?? "backlog"} color={status?.color} />}
      {isPerson && <Avatar person={person} />}
      {by === "priority" && <PriorityIcon priority={id} />}
      {label && <LabelDot color={label.color} />}
      {name}
      <span className="text-12 font-normal text-soft tabular-nums">{count}</span>
    </button>
  );
}
