// The member's ChangeSets: open ones first. Each links to its review.
import type { Operations } from "@svc/client";
import { useEffect } from "react";
import { t, tn } from "../messages/t.ts";
import { Link, useAddress } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { within, withQuery } from "../ui/address.ts";
import { Empty } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Icon } from "../ui/icons.tsx";
import { PageHead, Unread } from "../ui/page.tsx";

type Row = Awaited<ReturnType<Operations["listChangeSets"]>>["items"][number];

export default function ChangesPage() {
  const { member } = useReplica();
  const state = useAddress().searchParams.get("view") === "decided" ? "decided" : "open";
  const { value, failed, again } = useReading(
    `change-sets:${state}`,
    async (api) => (await api.listChangeSets({ workspace_id: member.workspaceId, state, limit: 100 })).items,
    { on: /^change_set/ },
  );
  useEffect(() => {
    document.title = `${t("changes.title")} · svc`;
  }, []);
  return (
    <>
      <PageHead
        title={t("changes.title")}
        tabs={[
          { to: withQuery({ view: null }), label: t("changes.open"), isHere: state === "open" },
          { to: withQuery({ view: "decided" }), label: t("changes.decided"), isHere: state === "decided" },
        ]}
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        {!value && <Unread failed={failed} again={() => void again()} />}
        {value?.length === 0 && (
          <Empty title={state === "open" ? t("changes.none") : t("changes.noneDecided")}>{t("changes.noneHelp")}</Empty>
        )}
        <ul>
          {value?.map((row) => (
            <Line key={row.id} row={row} />
          ))}
        </ul>
      </div>
    </>
  );
}

function Line({ row }: { row: Row }) {
  const home = useHome();
  const moment = (time: string) => momentText(time, home?.locale, home?.timezone);
  return (
    <li className="border-b border-line" data-change-set={row.state}>
      <Link
        to={`${within(`changes/${row.id}`)}?version=${row.version}`}
        className="flex items-start gap-2.5 px-3 py-2 text-ink no-underline hover:bg-hover"
      >
        <Icon name={row.state === "applied" ? "check" : "review"} className="mt-0.5 size-4 text-soft" />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 flex-1 truncate font-medium">{row.title}</span>
            <span className="shrink-0 text-12 text-soft">{t(`changes.${row.state}`)}</span>
          </span>
          {row.reason && <span className="line-clamp-2 text-12">{row.reason}</span>}
          <span className="block text-12 text-soft">
            {tn("changes.count", row.count)} · {moment(row.applied_at ?? row.reviewed_at ?? row.created_at)}
            {row.state === "proposed" && ` · ${t("changes.until", { when: moment(row.expires_at) })}`}
          </span>
        </span>
      </Link>
    </li>
  );
}
