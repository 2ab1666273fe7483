// Linked entities of a Task at other services (branches, pull requests, errors, messages, frames) with their states.
// Hints refresh them, and so does returning to the page.
import "../../messages/later/integrations.ts";
import type { Operations } from "@svc/client";
import { useEffect, useState } from "react";
import { has, type Key, t } from "../../messages/t.ts";
import { allOf } from "../../projects/operations.ts";
import { useHome } from "../../store/current-member.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { Button } from "../../ui/controls.tsx";
import { Outside } from "../../ui/external-link.tsx";
import { momentText } from "../../ui/formats/dates.ts";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { Section } from "./section.tsx";

type Entity = Awaited<ReturnType<Operations["listTaskRichEntities"]>>["items"][number];

const MOST_AT_FIRST = 5;

export default function Entities({ task }: { task: Task }) {
  const replica = useReplica();
  const [isAll, setAll] = useState(false);
  const { value, again } = useReading(task.code ? `entities:${task.id}` : null, (client) =>
    allOf(client.listTaskRichEntities({ task_id: task.id, limit: 100 })),
  );
  useEffect(() => {
    const look = () => void again();
    const stop = replica.onHints((hints) => {
      if (hints.some(({ kind, task_id }) => kind === "rich_entity" && task_id === task.id)) look();
    });
    addEventListener("focus", look);
    return () => {
      removeEventListener("focus", look);
      stop();
    };
  }, [replica, again, task.id]);
  if (!value || value.length === 0) return null;
  // Latest first, because that is the current work.
  const newest = value.toSorted((one, other) => other.updated_at.localeCompare(one.updated_at));
  const shown = isAll ? newest : newest.slice(0, MOST_AT_FIRST);
  return (
    <Section title={t("entities.title")} count={value.length}>
      <ul aria-label={t("entities.title")} className="divide-y divide-line rounded-lg border border-line">
        {shown.map((entity) => (
          <Line key={entity.id} entity={entity} />
        ))}
      </ul>
      {shown.length < value.length && (
        <Button look="quiet" className="mt-1" onClick={() => setAll(true)}>
          {t("entities.more", { count: value.length })}
        </Button>
      )}
    </Section>
  );
}

const icons: Record<Entity["kind"], IconName> = {
  branch: "subtask",
  commit: "check",
  pull_request: "review",
  issue: "flag",
  error: "blocked",
  message: "comment",
  frame: "document",
  delivery: "inbox",
};
const looks: Record<string, string> = {
  open: "bg-good-wash text-good",
  resolved: "bg-good-wash text-good",
  merged: "bg-note-wash text-accent",
  unresolved: "bg-bad-wash text-bad",
};
const marks = {
  pending: { icon: "clock", look: "text-soft" },
  passing: { icon: "check", look: "text-good" },
  failing: { icon: "close", look: "text-bad" },
} as const;

function Line({ entity }: { entity: Entity }) {
  const home = useHome();
  const { kind, title, url, state, checks, author_name, updated_at } = entity;
  const mark = checks && marks[checks];
  const key = `entities.state.${state}`;
  return (
    <li data-entity={kind} className="flex items-start gap-2 px-2.5 py-2">
      <Icon name={icons[kind]} className="mt-0.5 size-4 text-soft" />
      <div className="min-w-0 flex-1">
        <Outside url={url}>{title}</Outside>
        <p className="text-12 text-soft">
          {t(`entities.kind.${kind}`)}
          {author_name && ` · ${t("entities.by", { name: author_name })}`}
          {` · ${momentText(updated_at, home?.locale, home?.timezone)}`}
          {mark && (
            <span data-checks={checks} className={`ml-2 inline-flex items-center gap-1 ${mark.look}`}>
              <Icon name={mark.icon} className="size-3.5" />
              {t(`entities.checks.${checks}`)}
            </span>
          )}
        </p>
      </div>
      <span
        data-state={state}
        className={`max-w-32 shrink-0 truncate rounded-full px-2 py-0.5 text-12 font-medium ${looks[state] ?? "bg-sunken text-soft"}`}
      >
        {has(key) ? t(key as Key) : state}
      </span>
    </li>
  );
}
