// Activity of a Task, the newest first: actor, action, and old and new values.
import type { Operations } from "@svc/client";
import { type ReactNode, useEffect, useState } from "react";
import { type Key, t } from "../../../messages/t.ts";
import { useHome } from "../../../store/current-member.ts";
import { useReplica } from "../../../store/react.ts";
import type { Task } from "../../../store/rows.ts";
import { Avatar, Button, Empty, Skeleton } from "../../../ui/controls.tsx";
import { dayText, momentText, today } from "../../../ui/formats/dates.ts";

type Page = Awaited<ReturnType<Operations["listTaskActivity"]>>;
type Item = Page["items"][number];
type Change = Item["changes"][number];

export function Activity({ task }: { task: Task }) {
  const replica = useReplica();
  const [items, setItems] = useState<readonly Item[]>();
  const [cursor, setCursor] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when the Task has changed.
  useEffect(() => {
    let current = true;
    replica.api.listTaskActivity({ task_id: replica.store.real(task.id), limit: 50 }).then(
      (page) => {
        if (!current) return;
        setItems(page.items);
        setCursor(page.next_cursor);
      },
      () => current && setItems((known) => known ?? []),
    );
    return () => {
      current = false;
    };
  }, [replica, task.id, task.revision, task.counts?.comments]);
  async function more() {
    const page = await replica.api.listTaskActivity({ task_id: task.id, limit: 50, cursor: cursor as string });
    setItems((known) => [...(known ?? []), ...page.items]);
    setCursor(page.next_cursor);
  }
  if (!items) return <Skeleton rows={4} />;
  if (items.length === 0) return <Empty title={t("panel.noActivity")} />;
  return (
    <>
      <ol className="space-y-1">
        {items.map((item) => (
          <Happened key={item.id} item={item} />
        ))}
      </ol>
      {cursor !== null && (
        <Button look="quiet" className="mt-2" onClick={() => void more().catch(() => {})}>
          {t("panel.more")}
        </Button>
      )}
    </>
  );
}

function Happened({ item }: { item: Item }) {
  const { store } = useReplica();
  const home = useHome();
  const { actor_id, display_name, client } = item.provenance;
  const moment = momentText(item.occurred_at, home?.locale, home?.timezone);
  return (
    <li className="flex gap-2.5 py-1">
      <Avatar person={store.get("person", actor_id) ?? { id: actor_id, display_name }} />
      <div className="min-w-0 flex-1">
        <p className="break-words">
          <span className="font-medium">{display_name}</span>
          {client && <span className="text-soft"> {t("panel.by", { client })}</span>}
          <span className="text-soft"> {didOf(item)}</span>{" "}
          <time dateTime={item.occurred_at} className="text-12 whitespace-nowrap text-soft">
            {moment}
          </time>
        </p>
        {item.changes.map((change) => (
          <Became key={`${change.resource_id} ${change.field} ${JSON.stringify(change.to)}`} change={change} />
        ))}
      </div>
    </li>
  );
}

const did: Record<string, Key> = {
  "activity.task.created": "panel.did.created",
  "activity.task.trashed": "panel.did.trashed",
  "activity.task.restored": "panel.did.restored",
  "activity.task.comment.created": "panel.did.commented",
  "activity.task.comment.updated": "panel.did.editedComment",
  "activity.task.comment.deleted": "panel.did.deletedComment",
};
const didOf = ({ action }: Item) => t(did[action] ?? "panel.did.changed");

const fields: Record<string, Key> = {
  title: "task.title",
  status: "task.status",
  assignee: "task.assignee",
  priority: "task.priority",
  milestone: "task.milestone",
  project: "task.project",
  labels: "task.labels",
  start_date: "task.start",
  due_date: "task.due",
  description: "task.description",
  parent: "panel.parent",
  blocks: "panel.relation.blocks",
  blocked_by: "panel.relation.blocked_by",
  relates_to: "panel.relation.relates_to",
  duplicates: "panel.relation.duplicates",
  duplicated_by: "panel.relation.duplicated_by",
  parent_of: "panel.relation.parent_of",
  child_of: "panel.relation.child_of",
};
function Became({ change }: { change: Change }) {
  const home = useHome();
  const name = fields[change.field];
  if (!name || change.field === "description") return name ? <p className="text-12 text-soft">{t(name)}</p> : null;
  const text = (value: unknown) => shown(change.field, value, today(home?.timezone), home?.locale);
  const was: ReactNode = change.from === undefined || change.from === null ? null : <s>{text(change.from)}</s>;
  const is = change.to === undefined || change.to === null ? null : text(change.to);
  return (
    <p className="text-12 break-words text-soft">
      {t(name)}: {was} {was && is && "→"} <span className="text-ink">{is}</span>
    </p>
  );
}

function shown(field: string, value: unknown, from: string, locale: string | undefined): string {
  if (value === null || value === undefined) return t("ui.none");
  if (Array.isArray(value)) return value.map((each) => shown(field, each, from, locale)).join(", ") || t("ui.none");
  if (typeof value === "object") {
    const { code, name } = value as { code?: string | null; name?: string | null };
    return [code, name].filter(Boolean).join(" ") || t("panel.hidden");
  }
  if (field === "priority") return t(`task.priority.${value}` as Key);
  if (field.endsWith("_date")) return dayText(String(value), from, locale);
  return String(value);
}
