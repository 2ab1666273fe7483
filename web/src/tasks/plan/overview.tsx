// Overview of a Project: progress, members, upcoming work and recent activity.

import type { Operations } from "@svc/client";
import { deedOf } from "../../activity/words.ts";
import { t } from "../../messages/t.ts";
import { ProjectPage } from "../../projects/page.tsx";
import { useHome } from "../../store/current-member.ts";
import { useReading } from "../../store/page-query.ts";
import { useReplica } from "../../store/react.ts";
import { colourOf } from "../../ui/colour.ts";
import { Avatar } from "../../ui/controls.tsx";
import { dayText, momentText, today } from "../../ui/formats/dates.ts";
import { Unread } from "../../ui/page.tsx";
import { useProject, useTasks } from "../project.tsx";
import { BurnUpChart, ThroughputChart } from "./charts.tsx";

type Overview = Awaited<ReturnType<Operations["getProjectOverview"]>>;
const categories = ["completed", "started", "unstarted", "backlog", "cancelled"] as const;

export default function OverviewPage({ params }: { params: Readonly<Record<string, string>> }) {
  useProject(params.key ?? "");
  return (
    <ProjectPage params={params} view="overview">
      {(project) => <Shown key={project.id} projectId={project.id} />}
    </ProjectPage>
  );
}

const KINDS = /^(?:task|milestone|project|comment)/;
const NO_FILTERS = {};

function Shown({ projectId }: { projectId: string }) {
  const { value, failed, again } = useReading<Overview>(
    // A provisional Project has no overview yet.
    projectId.startsWith("new-") ? null : `overview:${projectId}`,
    (api) => api.getProjectOverview({ project_id: projectId }),
    { on: KINDS, keep: true },
  );
  return value ? <Overview overview={value} /> : <Unread failed={failed} again={() => void again()} />;
}

function Overview({ overview }: { overview: Overview }) {
  const { store } = useReplica();
  const home = useHome();
  const { counts, progress, members, milestones, recent_activity } = overview;
  const tasks = useTasks(overview.id, NO_FILTERS);
  const total = categories.reduce((sum, category) => sum + counts[category], 0);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto grid max-w-4xl gap-8 p-6 md:grid-cols-2">
        <section aria-label={t("overview.counts")} className="md:col-span-2">
          <p className="text-20 font-semibold">{t("overview.progress", { percent: progress.percent ?? "–" })}</p>
          <div aria-hidden="true" className="mt-3 flex h-2 overflow-hidden rounded-full bg-sunken">
            {total > 0 &&
              categories.map((category) => (
                <span
                  key={category}
                  style={{ width: `${(100 * counts[category]) / total}%`, background: colourOf(null, category) }}
                />
              ))}
          </div>
          <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-1">
            {categories.map((category) => (
              <div key={category} className="flex items-center gap-1.5">
                <span
                  aria-hidden="true"
                  style={{ background: colourOf(null, category) }}
                  className="size-2 rounded-full"
                />
                <dt className="text-soft">{t(`category.${category}`)}</dt>
                <dd className="font-medium tabular-nums">{counts[category]}</dd>
              </div>
            ))}
          </dl>
        </section>
        <BurnUpChart tasks={tasks} />
        <ThroughputChart tasks={tasks} />
        <section>
          <h2 className="mb-2 font-semibold">{t("overview.members")}</h2>
          <ul className="space-y-1">
            {members.items.map(({ actor_id, display_name, role }) => (
              <li key={actor_id} className="flex h-8 items-center gap-2">
                <Avatar person={store.get("person", actor_id) ?? { id: actor_id, display_name }} size={20} />
                <span className="min-w-0 flex-1 truncate">{display_name}</span>
                <span className="text-12 text-soft">{t(`role.${role}`)}</span>
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h2 className="mb-2 font-semibold">{t("overview.milestones")}</h2>
          {milestones.length === 0 && <p className="text-soft">{t("overview.nothing")}</p>}
          <ul className="space-y-1">
            {milestones.map(({ id, name, target_date, progress }) => (
              <li key={id} className="flex h-8 items-center gap-2">
                <span className="min-w-0 flex-1 truncate">{name}</span>
                <span className="text-12 text-soft">
                  {target_date && dayText(target_date, today(home?.timezone), home?.locale)}
                </span>
                <span className="text-12 tabular-nums">{progress.percent ?? "–"} %</span>
              </li>
            ))}
          </ul>
        </section>
        <section className="md:col-span-2">
          <h2 className="mb-2 font-semibold">{t("overview.activity")}</h2>
          {recent_activity.length === 0 && <p className="text-soft">{t("overview.nothing")}</p>}
          <ul>
            {recent_activity.map((item) => (
              <li key={item.id} className="flex min-h-8 items-center gap-2 border-b border-line py-1">
                <Avatar person={store.get("person", item.provenance.actor_id)} />
                <span className="min-w-0 flex-1 truncate">
                  {item.provenance.display_name} {[...new Set(item.actions.map(deedOf))].join(", ")}{" "}
                  <span className="text-soft">{item.affected[0]?.code}</span> {item.affected[0]?.title}
                </span>
                <span className="text-12 text-soft">{momentText(item.occurred_at, home?.locale, home?.timezone)}</span>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </div>
  );
}
