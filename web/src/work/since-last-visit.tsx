// Activity of others since the last visit, at the top of My Work. The time of the visit is stored in this browser,
// because the service does not record visits.
import type { Operations } from "@svc/client";
import { useEffect, useState } from "react";
import { GroupRow } from "../activity/group.tsx";
import { t, tn } from "../messages/t.ts";
import { Link } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { within } from "../ui/address.ts";
import { momentText } from "../ui/formats/dates.ts";
import { Icon } from "../ui/icons.tsx";

type Group = Awaited<ReturnType<Operations["listActivityGroups"]>>["items"][number];
const MOST = 30;

/** End of the previous visit. A visit lasts from opening a tab to closing it, including reloads. */
function useLastVisit(workspaceId: string): string | null {
  const key = `svc:visited:${workspaceId}`;
  const [last] = useState(() => {
    const known = sessionStorage.getItem(key) ?? localStorage.getItem(key);
    if (known !== null) sessionStorage.setItem(key, known);
    return known;
  });
  useEffect(() => {
    const leave = () => localStorage.setItem(key, new Date().toISOString());
    // Writes the time at once, in case the tab is killed.
    leave();
    addEventListener("pagehide", leave);
    return () => {
      leave();
      removeEventListener("pagehide", leave);
    };
  }, [key]);
  return last;
}

export function SinceLastVisit() {
  const { member } = useReplica();
  const home = useHome();
  const last = useLastVisit(member.workspaceId);
  const [isOpen, setOpen] = useState(true);
  const { value } = useReading<readonly Group[]>(
    last && `since:${last}`,
    async (api) => (await api.listActivityGroups({ workspace_id: member.workspaceId, limit: MOST })).items,
    { on: /^(?:task|comment|document|project|milestone)/ },
  );
  const others = value?.filter(
    ({ last_occurred_at, actor_ids }) =>
      last !== null && last_occurred_at > last && actor_ids.some((id) => id !== member.actorId),
  );
  if (last === null || !others || others.length === 0) return null;
  return (
    <section aria-label={t("work.since")} className="border-b border-line">
      <div className="flex flex-wrap items-center gap-x-3 bg-sunken px-3 py-1.5">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex cursor-pointer items-center gap-1.5 font-medium"
        >
          <Icon name={isOpen ? "down" : "right"} className="size-3.5 text-soft" />
          <h2>{t("work.since")}</h2>
        </button>
        <span className="text-12 text-soft">
          {momentText(last, home?.locale, home?.timezone)} · {tn("activity.count", others.length)}
        </span>
        <Link to={within("activity")} className="link ml-auto text-12">
          {t("work.allActivity")}
        </Link>
      </div>
      {isOpen && (
        <ul className="max-h-80 overflow-y-auto">
          {others.map((group) => (
            <GroupRow key={group.id} group={group} />
          ))}
        </ul>
      )}
    </section>
  );
}
