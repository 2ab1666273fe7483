// Inbox item: event, subject, actor and an excerpt of the text.
import { type Key, t, tn } from "../messages/t.ts";
import { useHome } from "../store/current-member.ts";
import { useReplica } from "../store/react.ts";
import type { InboxItem } from "../store/rows.ts";
import { Avatar, IconButton } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";

interface Props {
  item: InboxItem;
  isCurrent: boolean;
  open: () => void;
  done: () => void;
  doneLabel: string;
}
export function ItemRow({ item, isCurrent, open, done, doneLabel }: Props) {
  const { store } = useReplica();
  const home = useHome();
  const isUnread = item.read_at === null;
  const subject = item.task ?? item.document ?? item.project;
  const title = titleOf(item);
  const words = item.excerpt ?? item.about?.note;
  const person = item.actor
    ? (store.get("person", item.actor.id) ?? { id: item.actor.id, display_name: item.actor.display_name })
    : undefined;
  return (
    <li className={`group relative border-b border-line ${isCurrent ? "bg-hover" : ""}`}>
      <button
        type="button"
        data-item={item.id}
        data-unread={isUnread}
        onClick={open}
        className="flex w-full cursor-pointer items-start gap-2.5 px-3 py-2 pr-12 text-left hover:bg-hover"
      >
        <span className="relative mt-0.5">
          <Avatar person={person} size={24} />
          {isUnread && (
            <span className="absolute -top-0.5 -left-0.5 size-2 rounded-full bg-accent ring-2 ring-card">
              <span className="sr-only">{t("inbox.unread")}</span>
            </span>
          )}
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            {item.task && <span className="shrink-0 text-12 text-soft tabular-nums">{item.task.code}</span>}
            <span className={`min-w-0 flex-1 truncate ${isUnread ? "font-semibold" : ""}`}>{title}</span>
            <time dateTime={item.occurred_at} className="shrink-0 text-12 text-soft">
              {momentText(item.occurred_at, home?.locale, home?.timezone)}
            </time>
          </span>
          <span className="block truncate text-12 text-soft">
            {happened(item)}
            {item.count > 1 && ` · ${tn("inbox.times", item.count)}`}
            {subject !== item.project && item.project && ` · ${item.project.name}`}
          </span>
          {words && <span className="mt-0.5 line-clamp-2 block text-12">{words}</span>}
        </span>
      </button>
      <IconButton icon="check" label={doneLabel} onClick={done} className="absolute top-1.5 right-2" />
    </li>
  );
}

const titleOf = ({ reminder, task, document, project, about }: InboxItem) =>
  reminder?.text ?? task?.title ?? document?.title ?? project?.name ?? about?.name ?? "";

const told: Record<InboxItem["category"], Key> = {
  assigned: "inbox.assigned",
  mentioned: "inbox.mentioned",
  commented: "inbox.commented",
  status_changed: "inbox.statusChanged",
  review_requested: "inbox.reviewRequested",
  due_soon: "inbox.dueSoon",
  project_updates: "inbox.projectUpdates",
  reminder: "inbox.reminder",
  request_received: "inbox.requestReceived",
  request_decided: "inbox.requestDecided",
  webhook_disabled: "inbox.webhookDisabled",
};
const decided: Record<string, Key> = {
  "integration_request.closed": "inbox.connected",
  "integration_request.declined": "inbox.declined",
  "agent_request.approved": "inbox.approved",
  "agent_request.rejected": "inbox.rejected",
};
function happened({ category, action, actor }: InboxItem): string {
  return t(decided[action] ?? told[category], { name: actor?.display_name ?? t("inbox.somebody") });
}
