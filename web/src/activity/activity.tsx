// Activity page of a Workspace. The service groups events into one expandable entry: everything one actor did in one
// go, or everything about one thing within an hour.
import type { Operations } from "@svc/client";
import { useEffect, useRef, useState } from "react";
import { t, tn } from "../messages/t.ts";
import { go, useAddress } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { withQuery } from "../ui/address.ts";
import { Button, Empty } from "../ui/controls.tsx";
import { dayText, today } from "../ui/formats/dates.ts";
import { PageHead, Unread } from "../ui/page.tsx";
import { useKeptScroll } from "../ui/scroll/scroll.ts";
import type { ActivityGroup } from "./entries.ts";
import { GroupRow } from "./group.tsx";

const PAGE = 30;
const KINDS = /^(?:task|comment|document|project|milestone)/;
type Page = Awaited<ReturnType<Operations["listActivityGroups"]>>;

export default function ActivityPage() {
  const replica = useReplica();
  const home = useHome();
  const day = useAddress().searchParams.get("day") ?? "";
  const timezone = home?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const asked = {
    workspace_id: replica.member.workspaceId,
    limit: PAGE,
    ...(day && { day, time_zone: timezone }),
  };
  const first = useReading<Pick<Page, "items" | "next_cursor">>(
    `activity:${day}`,
    async (api) => {
      const { items, next_cursor } = await api.listActivityGroups(asked);
      return { items, next_cursor };
    },
    { on: KINDS, keep: day === "" },
  );
  const [more, setMore] = useState<{ day: string; items: readonly ActivityGroup[]; next: string | null } | null>(null);
  const later = more?.day === day ? more : null;
  const next = later ? later.next : (first.value?.next_cursor ?? null);
  const seen = new Set(first.value?.items.map(({ id }) => id));
  const groups = [...(first.value?.items ?? []), ...(later?.items ?? []).filter(({ id }) => !seen.has(id))];
  async function goOn() {
    const page = await replica.api.listActivityGroups({ ...asked, cursor: next as string });
    setMore({ day, items: [...(later?.items ?? []), ...page.items], next: page.next_cursor });
  }
  const scroller = useRef<HTMLDivElement>(null);
  useKeptScroll(scroller, day);
  useEffect(() => {
    document.title = `${t("activity.title")} · svc`;
  }, []);
  const from = today(timezone);
  const days = [...Map.groupBy(groups, ({ first_occurred_at }) => today(timezone, new Date(first_occurred_at)))];
  return (
    <>
      <PageHead title={t("activity.title")}>
        <label className="flex items-center gap-2 text-12 text-soft">
          {t("activity.day")}
          <input
            type="date"
            max={from}
            value={day}
            onChange={(event) => go(withQuery({ day: event.target.value || null }), { replace: true })}
            className="field h-7 py-0"
          />
        </label>
      </PageHead>
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        {first.value === undefined && <Unread failed={first.failed} again={() => void first.again()} />}
        {first.value && groups.length === 0 && <Empty title={t("activity.empty")}>{t("activity.emptyHelp")}</Empty>}
        {days.map(([each, some]) => (
          <section key={each} aria-label={dayText(each, from, home?.locale)}>
            <h2 className="sticky top-0 z-1 border-b border-line bg-sunken px-3 py-1 text-12 font-medium text-soft">
              {dayText(each, from, home?.locale)}{" "}
              <span className="font-normal tabular-nums">{tn("activity.count", some.length)}</span>
            </h2>
            <ul>
              {some.map((group) => (
                <GroupRow key={group.id} group={group} />
              ))}
            </ul>
          </section>
        ))}
        {next && (
          <div className="p-3">
            <Button onClick={() => void goOn()}>{t("ui.more")}</Button>
          </div>
        )}
      </div>
    </>
  );
}
