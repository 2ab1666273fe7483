// Row of one activity group: actor, action, target and time. Expanding it lists every event of the group.
import { useState } from "react";
import { t, tn } from "../messages/t.ts";
import { Link } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { projectPath, within, withQuery } from "../ui/address.ts";
import { Avatar } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Icon } from "../ui/icons.tsx";
import { Unread } from "../ui/page.tsx";
import type { ActivityGroup, Item } from "./entries.ts";
import { changeText, deedOf } from "./words.ts";

type Resource = Item["affected"][number];

export function GroupRow({ group }: { group: ActivityGroup }) {
  const { store } = useReplica();
  const home = useHome();
  const [isOpen, setOpen] = useState(false);
  const [newest] = group.items as [Item];
  const { resource } = group;
  const [actorId] = group.actor_ids as [string];
  const name = (id: string) =>
    store.get("person", id)?.display_name ??
    group.items.find(({ provenance }) => provenance.actor_id === id)?.provenance.display_name ??
    t("inbox.somebody");
  const who =
    group.actor_ids.length > 2
      ? [name(actorId), tn("activity.others", group.actor_ids.length - 1)]
      : group.actor_ids.map(name);
  const fields = new Map(
    group.items
      .toReversed()
      .flatMap((item) => item.changes.map((change) => [change.field, changeText(change)] as const)),
  );
  const told = [...fields.values()].flatMap((text) => text ?? []);
  const actions = [...new Set(group.actions.toReversed().map(deedOf))];
  return (
    <li className="border-b border-line">
      <div className="flex items-start gap-2.5 px-3 py-2">
        <Avatar person={store.get("person", actorId) ?? { id: actorId, display_name: name(actorId) }} size={24} />
        <div className="min-w-0 flex-1">
          <p className="break-words">
            <span className="font-medium">{new Intl.ListFormat(home?.locale).format(who)}</span> {actions.join(", ")}{" "}
            {resource ? <Named resource={resource} /> : <span>{tn("activity.things", distinct(group))}</span>}
          </p>
          {told.length > 0 && <p className="mt-0.5 text-12 break-words text-soft">{told.join(" · ")}</p>}
          <p className="mt-0.5 flex flex-wrap items-center gap-x-2 text-12 text-soft">
            <time dateTime={group.last_occurred_at}>
              {momentText(group.last_occurred_at, home?.locale, home?.timezone)}
            </time>
            {newest.provenance.client && <span>{t("activity.by", { client: newest.provenance.client })}</span>}
            {group.count > 1 && (
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={() => setOpen(!isOpen)}
                className="inline-flex cursor-pointer items-center gap-0.5 rounded hover:text-ink"
              >
                <Icon name={isOpen ? "down" : "right"} className="size-3" />
                {group.capped ? t("activity.many", { count: group.count }) : tn("activity.events", group.count)}
              </button>
            )}
          </p>
          {isOpen && <Children groupId={group.id} />}
        </div>
      </div>
    </li>
  );
}
const distinct = ({ items }: ActivityGroup) =>
  new Set(items.flatMap(({ affected }) => affected.map(({ id }) => id))).size;

function Children({ groupId }: { groupId: string }) {
  const { member } = useReplica();
  const home = useHome();
  const { value, failed, again } = useReading(`activity-group:${groupId}`, (api) =>
    api.listActivityGroupChildren({ workspace_id: member.workspaceId, group_id: groupId, limit: 100 }),
  );
  if (!value) return <Unread failed={failed} again={() => void again()} rows={2} />;
  return (
    <ul className="mt-1 space-y-1 border-l-2 border-line pl-3 text-12">
      {value.items.map((item) => (
        <li key={item.id} className="break-words">
          {item.provenance.display_name} {[...new Set(item.actions.map(deedOf))].join(", ")}{" "}
          {item.affected[0] && <Named resource={item.affected[0]} />}{" "}
          <span className="text-soft">
            {item.changes.flatMap((change) => changeText(change) ?? []).join(" · ")}{" "}
            {momentText(item.occurred_at, home?.locale, home?.timezone)}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Links to the resource if the reader can open it; a deleted resource shows only its name. */
function Named({ resource }: { resource: Resource }) {
  const { store } = useReplica();
  const { kind, title, task_id, project_id } = resource;
  const words = [resource.code, title].filter(Boolean).join(" ") || t("activity.gone");
  const project = project_id ? store.get("project", project_id) : undefined;
  const to =
    task_id !== null
      ? withQuery({ task: task_id })
      : kind === "document"
        ? within(`documents/${resource.id}`)
        : project
          ? projectPath(project.key, kind === "milestone" ? "milestones" : "overview")
          : null;
  return to && title !== null ? (
    <Link to={to} className="link">
      {words}
    </Link>
  ) : (
    <span className="text-soft">{words}</span>
  );
}
