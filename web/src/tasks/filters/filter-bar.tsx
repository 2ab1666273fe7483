// Filter bar of all layouts: active filters, each as a button to edit, negate or remove, and a menu that adds one.
import { lazy, Suspense } from "react";
import { type Key, t } from "../../messages/t.ts";
import { go } from "../../router.tsx";
import { useGroup, useReplica } from "../../store/react.ts";
import type { Replica } from "../../store/replica.ts";
import { withQuery } from "../../ui/address.ts";
import { Button, IconButton, Skeleton } from "../../ui/controls.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keys.ts";
import { Picker, type PickerOption } from "../../ui/overlays/picker.tsx";
import { Popover } from "../../ui/overlays/popover.tsx";
import { byDate } from "../indexes.ts";
import {
  columnsOf,
  labelOptions,
  peopleOptions,
  priorityOptions,
  useColumns,
  useLabelOptions,
  usePeopleOptions,
} from "../properties.tsx";
import { type Filter, type FilterName, type Filters, isFiltered, written } from "./filters.ts";

/** Lazy, because it is used rarely. */
const SavedViews = lazy(() => import("./views.tsx"));

const labels: Record<Named, Key> = {
  status_id: "task.status",
  category: "task.category",
  priority: "task.priority",
  assignee_actor_id: "task.assignee",
  label_id: "task.labels",
  milestone_id: "task.milestone",
  due: "task.due",
  created_by_actor_id: "list.creator",
};
const categories = ["backlog", "unstarted", "started", "completed", "cancelled"] as const;

type Named = Exclude<FilterName, "text">;
/** Options of each filter. Computed on demand, so that opening a board does not wait for them. */
function optionsOf(replica: Replica, projectId: string): Record<Named, PickerOption[]> {
  const { store } = replica;
  const none: PickerOption = { id: "none", label: t("ui.none") };
  return {
    status_id: columnsOf(replica, projectId).flatMap((id) => {
      const status = store.get("status", id);
      return status
        ? [{ id, label: status.name, icon: <StatusIcon category={status.category} color={status.color} /> }]
        : [];
    }),
    category: categories.map((id) => ({
      id,
      label: t(`category.${id}`),
      icon: <StatusIcon category={id} color={null} />,
    })),
    priority: priorityOptions(),
    assignee_actor_id: peopleOptions(replica).map((option) =>
      option.id === "nobody" ? { ...option, id: "none" } : option,
    ),
    due: [
      { id: "overdue", label: t("filter.overdue") },
      { id: "today", label: t("date.today") },
      { id: "week", label: t("filter.week") },
      { id: "none", label: t("task.noDate") },
    ],
    created_by_actor_id: peopleOptions(replica).filter(({ id }) => id !== "nobody"),
    label_id: [none, ...labelOptions(replica, projectId)],
    milestone_id: [
      none,
      ...store.group("milestone", byDate, projectId).ids.map((id) => ({
        id,
        label: store.get("milestone", id)?.name ?? "",
      })),
    ],
  };
}

export function FilterBar({ projectId, filters }: { projectId: string; filters: Filters }) {
  const put = (name: FilterName, filter: Filter | null) =>
    go(withQuery({ [name]: filter ? (name === "text" ? (filter.values[0] ?? null) : written(filter)) : null }), {
      replace: true,
    });
  const names = Object.keys(labels) as Named[];
  useKeys([{ keys: "/", label: "keys.filter", run: () => document.getElementById("filter-text")?.focus() }]);
  return (
    <>
      <input
        id="filter-text"
        type="search"
        aria-label={t("filter.text")}
        placeholder={t("filter.text")}
        value={filters.text?.values[0] ?? ""}
        onChange={(event) => put("text", { not: false, values: [event.target.value] })}
        className="field h-7 w-32 py-0"
      />
      {names.map((name) => {
        const filter = filters[name];
        if (!filter) return null;
        return <Chip key={name} projectId={projectId} name={name} filter={filter} put={(next) => put(name, next)} />;
      })}
      <AddFilter
        projectId={projectId}
        names={names.filter((name) => !filters[name])}
        add={(name, id) => put(name, { not: false, values: [id] })}
      />
      <Popover
        className="w-72"
        button={(props) => (
          <button type="button" {...props} title={t("views.title")} aria-label={t("views.title")} className="picker">
            <Icon name="bookmark" className="size-3.5" />
            <span className="hidden sm:inline">{t("views.short")}</span>
          </button>
        )}
      >
        {(close) => (
          <Suspense fallback={<Skeleton rows={3} />}>
            <SavedViews projectId={projectId} close={close} />
          </Suspense>
        )}
      </Popover>
      {isFiltered(filters) && (
        <Button
          look="quiet"
          onClick={() =>
            go(withQuery(Object.fromEntries([...names, "text"].map((name) => [name, null]))), { replace: true })
          }
        >
          {t("filter.clear")}
        </Button>
      )}
    </>
  );
}

interface ChipProps {
  projectId: string;
  name: Named;
  filter: Filter;
  put: (next: Filter | null) => void;
}
/** Button of an active filter. */
function Chip({ projectId, name, filter, put }: ChipProps) {
  const replica = useReplica();
  // Subscribes to name changes.
  usePeopleOptions();
  useLabelOptions(projectId);
  useColumns(projectId);
  useGroup("milestone", byDate, projectId);
  const options = optionsOf(replica, projectId)[name];
  const { not, values } = filter;
  const words = options.flatMap(({ id, label }) => (values.includes(id) ? label : [])).join(", ");
  const title = t(labels[name]);
  return (
    <span className="flex h-7 items-center rounded-md border border-line">
      <button
        type="button"
        onClick={() => put({ values, not: !not })}
        className="cursor-pointer px-2 text-soft hover:text-ink"
      >
        {title} {not ? t("filter.isNot") : t("filter.is")}
      </button>
      <Picker
        label={title}
        value={words}
        options={options}
        chosen={values}
        pick={(id) =>
          put({ not, values: values.includes(id) ? values.filter((value) => value !== id) : [...values, id] })
        }
        many
      >
        <span className="max-w-40 truncate">{words || "…"}</span>
      </Picker>
      <IconButton
        icon="close"
        label={t("filter.remove", { name: title })}
        onClick={() => put(null)}
        className="size-6"
      />
    </span>
  );
}

interface AddProps {
  projectId: string;
  names: readonly Named[];
  add: (name: FilterName, id: string) => void;
}
/** Searchable list of all values of all filters, such as "high", "me" or "bug". */
function AddFilter({ projectId, names, add }: AddProps) {
  const replica = useReplica();
  const all = () => {
    const options = optionsOf(replica, projectId);
    return names.flatMap((name) =>
      options[name].map((option) => ({
        ...option,
        id: `${name}:${option.id}`,
        hint: t(labels[name]),
        words: `${option.words ?? ""} ${t(labels[name])}`,
      })),
    );
  };
  return (
    <Picker
      label={t("filter.add")}
      options={all}
      pick={(picked) => {
        const at = picked.indexOf(":");
        add(picked.slice(0, at) as FilterName, picked.slice(at + 1));
      }}
    >
      <Icon name="filter" className="size-3.5" />
      <span className="hidden sm:inline">{t("filter.add")}</span>
    </Picker>
  );
}
