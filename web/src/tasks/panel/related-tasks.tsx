// Sub-tasks of a Task, with a field that adds one, and its relations, blockers first.
import { useEffect, useMemo, useRef, useState } from "react";
import { type Key, t, tn } from "../../messages/t.ts";
import { useTaskChoices } from "../../projects/task-choices.tsx";
import { useGroup, useReplica, useRow } from "../../store/react.ts";
import type { Relation, Task } from "../../store/rows.ts";
import type { Index } from "../../store/sorted-index.ts";
import { openTask } from "../../ui/address.ts";
import { Avatar, IconButton } from "../../ui/controls.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Picker } from "../../ui/overlays/picker.tsx";
import { create } from "../actions.ts";
import { relate, unrelate } from "./actions.ts";
import { useRelations } from "./parent.tsx";
import { Section } from "./section.tsx";
import { useMayChange } from "./use-may-change.ts";

const byParent: Index<Task> = {
  groups: ({ parent_id, trashed_at }) => (parent_id && !trashed_at ? [parent_id] : []),
  compare: (one, other) => (one.created_at < other.created_at ? -1 : 1),
};
type Related = Relation["related_task"];
/** Display order of the relation kinds; parent and children appear elsewhere. */
const kinds = ["blocked_by", "blocks", "relates_to", "duplicates", "duplicated_by"] as const;

export function Subtasks({ task }: { task: Task }) {
  const replica = useReplica();
  const { store } = replica;
  const mayWrite = useMayChange(task);
  const { ids } = useGroup("task", byParent, store.real(task.id));
  const relations = useRelations(task.id);
  const shown = useMemo(() => {
    const here = ids.flatMap((id): Related[] => {
      const child = store.get("task", id);
      const category = store.get("status", child?.status_id ?? "")?.category ?? "unstarted";
      return child ? [{ ...child, category }] : [];
    });
    const known = new Set(here.map(({ id }) => id));
    // Sub-tasks in Projects that the store does not hold.
    const others = relations.filter(({ kind, related_task }) => kind === "parent_of" && !known.has(related_task.id));
    return [...here, ...others.flatMap(({ related_task }) => (related_task.trashed_at ? [] : [related_task]))];
  }, [ids, relations, store]);
  const [adding, setAdding] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (adding) field.current?.focus();
  }, [adding]);
  const done = shown.filter(({ category }) => category === "completed").length;
  if (shown.length === 0 && !mayWrite) return null;
  return (
    <Section
      title={t("panel.subtasks")}
      tools={
        <>
          {shown.length > 0 && (
            <span className="text-12 text-soft tabular-nums">{tn("panel.subtasksDone", shown.length, { done })}</span>
          )}
          {mayWrite && <IconButton icon="plus" label={t("panel.addSubtask")} onClick={() => setAdding(true)} />}
        </>
      }
    >
      <ul>
        {shown.map((each) => (
          <li key={each.id} className="flex h-8 items-center rounded-md hover:bg-hover">
            <RelatedLine task={each} />
          </li>
        ))}
      </ul>
      {adding && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const title = field.current?.value.trim() ?? "";
            if (title === "") return setAdding(false);
            create(replica, task.project_id, { title, parent_id: store.real(task.id) });
            if (field.current) field.current.value = "";
          }}
        >
          <input
            ref={field}
            aria-label={t("panel.addSubtask")}
            placeholder={t("panel.addSubtask")}
            maxLength={500}
            onBlur={(event) => event.target.value.trim() === "" && setAdding(false)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.stopPropagation();
              setAdding(false);
            }}
            className="field mt-1 w-full"
          />
        </form>
      )}
    </Section>
  );
}

export function Relations({ task }: { task: Task }) {
  const replica = useReplica();
  const mayWrite = useMayChange(task);
  const relations = useRelations(task.id);
  const shown = kinds.flatMap((kind) => relations.filter((relation) => relation.kind === kind));
  const [kind, setKind] = useState<(typeof kinds)[number]>("blocked_by");
  const choices = useTaskChoices({ exceptId: task.id });
  if (shown.length === 0 && !mayWrite) return null;
  return (
    <Section
      title={t("panel.relations")}
      count={shown.length}
      tools={
        mayWrite && (
          <>
            <Picker
              label={t("panel.relationKind")}
              value={t(`panel.relation.${kind}`)}
              options={kinds.map((id) => ({ id, label: t(`panel.relation.${id}`) }))}
              chosen={[kind]}
              pick={(id) => setKind(id as typeof kind)}
            >
              {t(`panel.relation.${kind}`)}
              <Icon name="down" className="size-3 text-soft" />
            </Picker>
            <Picker
              label={t("panel.addRelation")}
              options={choices.options}
              typed={choices.typed}
              pick={(id) => relate(replica, task.id, kind, choices.find(id))}
            >
              <Icon name="plus" />
            </Picker>
          </>
        )
      }
    >
      <ul>
        {shown.map((relation) => (
          <li key={relation.id} className="group flex min-h-8 items-center rounded-md hover:bg-hover">
            <RelationKind relation={relation} />
            <RelatedLine task={relation.related_task} />
            {mayWrite && !relation.id.startsWith("new-") && (
              <IconButton
                icon="close"
                label={t("panel.removeRelation", { title: relation.related_task.title })}
                onClick={() => unrelate(replica, relation)}
                className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
              />
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** An open blocker is marked by an icon and a text. */
function RelationKind({ relation }: { relation: Relation }) {
  const status = useRow("task", relation.related_task.id)?.status_id ?? relation.related_task.status_id;
  const category = useRow("status", status)?.category ?? relation.related_task.category;
  const isOpen = category !== "completed" && category !== "cancelled";
  const blocks = relation.kind === "blocked_by" && isOpen;
  return (
    <span className={`flex w-28 shrink-0 items-center gap-1 px-1 text-12 ${blocks ? "text-bad" : "text-soft"}`}>
      {blocks && <Icon name="blocked" className="size-3.5" />}
      {t(`panel.relation.${relation.kind}` as Key)}
    </span>
  );
}

/** Row that opens a related Task. Prefers the row of the store over the summary in the relation. */
function RelatedLine({ task }: { task: Related }) {
  const known = useRow("task", task.id);
  const status = useRow("status", known?.status_id ?? task.status_id);
  const person = useRow("person", known ? known.assignee_actor_id : task.assignee_actor_id);
  const title = known?.title ?? task.title;
  return (
    <>
      <button
        type="button"
        onClick={() => openTask(task.id)}
        className="flex min-w-0 flex-1 cursor-pointer items-center gap-2 px-1 py-1.5 text-left"
      >
        <StatusIcon category={status?.category ?? task.category} color={status?.color} />
        <span className="shrink-0 text-12 text-soft tabular-nums">{(known?.code ?? task.code) || "…"}</span>
        <span className="min-w-0 truncate">{title}</span>
        {task.trashed_at && <span className="text-12 text-soft">{t("panel.inTrash")}</span>}
      </button>
      {person && <Avatar person={person} />}
    </>
  );
}
