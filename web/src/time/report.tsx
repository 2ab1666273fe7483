// Time report of a Project: in total, by Task, and by person if the member may see that; the member's own time by week.
// Charts with tables.
import { useEffect } from "react";
import { t, tn } from "../messages/t.ts";
import { go, Link, useAddress } from "../router.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { withQuery } from "../ui/address.ts";
import { Chart } from "../ui/chart/chart.tsx";
import { Empty } from "../ui/controls.tsx";
import { plusDays, today } from "../ui/formats/dates.ts";
import { clock } from "../ui/formats/duration.ts";
import { Picker } from "../ui/overlays/picker.tsx";
import { PageHead, Unread } from "../ui/page.tsx";
import { TimeTabs } from "./tabs.tsx";

const isDay = (text: string | null): text is string => /^\d{4}-\d{2}-\d{2}$/.test(text ?? "");
const MOST_BARS = 12;

export default function ReportPage() {
  const { store } = useReplica();
  const home = useHome();
  const { searchParams } = useAddress();
  const now = today(home?.timezone);
  const [from, to] = [searchParams.get("from"), searchParams.get("to")];
  const range = { from: isDay(from) ? from : plusDays(now, -29), to: isDay(to) ? to : now };
  const projects = [...store.all("project")].filter(({ id, archived_at }) => !archived_at && !id.startsWith("new-"));
  const project = projects.find(({ key }) => key === searchParams.get("project")) ?? projects[0];
  useEffect(() => {
    document.title = `${t("time.report")} · svc`;
  }, []);
  const day = (name: "from" | "to") => (
    <label className="flex items-center gap-1 text-12 text-soft">
      {t(`time.${name}`)}
      <input
        type="date"
        value={range[name]}
        onChange={(event) => go(withQuery({ [name]: event.target.value || null }), { replace: true })}
        className="field h-7 py-0"
      />
    </label>
  );
  return (
    <>
      <PageHead title={t("time.title")} tabs={TimeTabs("report")}>
        {day("from")}
        {day("to")}
        <a
          href={`/api/v1/timesheets/me/export?from=${range.from}&to=${range.to}`}
          download={`time-${range.from}-${range.to}.csv`}
          className="btn btn-plain"
        >
          {t("time.csvOwn")}
        </a>
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {project ? (
          <div className="mx-auto max-w-4xl space-y-6 p-4 sm:p-6">
            <Picker
              label={t("task.project")}
              value={project.name}
              options={projects.map(({ key, name }) => ({ id: key, label: name, words: key, hint: key }))}
              chosen={[project.key]}
              pick={(key) => go(withQuery({ project: key }), { replace: true })}
              className="-ml-1.5 text-14 font-semibold"
            >
              {project.name}
            </Picker>
            <Report key={project.id} projectId={project.id} range={range} />
          </div>
        ) : (
          <Empty title={t("new.noProject")} />
        )}
      </div>
    </>
  );
}

function Report({ projectId, range }: { projectId: string; range: { from: string; to: string } }) {
  const { value, failed, again } = useReading(
    `time-report:${projectId}:${range.from}:${range.to}`,
    async (api) => {
      const asked = { project_id: projectId, ...range };
      const [totals, tasks, people] = await Promise.all([
        api.getProjectTimeTotals(asked),
        api.listProjectTimeByTask({ ...asked, limit: 100 }),
        api.listProjectTimeByContributor({ ...asked, limit: 100 }),
      ]);
      const bySeconds = <T extends { seconds: number }>(some: readonly T[]) =>
        some.toSorted((one, other) => other.seconds - one.seconds);
      return {
        seconds: totals.seconds,
        entries: totals.entries,
        count: totals.tasks,
        isPart: tasks.has_more,
        tasks: bySeconds(tasks.items),
        people: bySeconds(people.items),
        redacted: (people as unknown as { redacted: boolean }).redacted,
      };
    },
    { on: /^time/ },
  );
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  const { tasks, people } = value;
  if (value.entries === 0) return <Empty title={t("time.nothing")}>{t("time.nothingHelp")}</Empty>;
  const hours = (seconds: number) => Math.round((10 * seconds) / 3600) / 10;
  const chart = (title: string, head: string, rows: readonly { name: string; seconds: number }[]) => (
    <Chart
      title={title}
      head={head}
      kind="bars"
      labels={rows.slice(0, MOST_BARS).map(({ name }) => name)}
      series={[
        { name: t("time.hours"), values: rows.slice(0, MOST_BARS).map(({ seconds }) => hours(seconds)), look: "area" },
      ]}
    />
  );
  return (
    <>
      <p className="text-20 font-semibold" data-total>
        {clock(value.seconds)} <span className="text-13 font-normal text-soft">{tn("time.onTasks", value.count)}</span>
      </p>
      {chart(
        t("time.byTask"),
        t("time.task"),
        tasks.map(({ task_code, task_id, seconds }) => ({ name: task_code ?? task_id.slice(-4), seconds })),
      )}
      <table className="w-full text-left">
        <caption className="sr-only">{t("time.byTask")}</caption>
        <thead className="text-12 text-soft">
          <tr>
            <th scope="col" className="py-1 font-medium">
              {t("time.task")}
            </th>
            <th scope="col" className="text-right font-medium">
              {t("time.sum")}
            </th>
          </tr>
        </thead>
        <tbody>
          {tasks.map(({ task_id, task_code, task_title, seconds }) => (
            <tr key={task_id} className="border-t border-line">
              <th scope="row" className="py-1.5 font-normal">
                {task_code ? (
                  <Link to={withQuery({ task: task_id })} className="link">
                    {task_code} {task_title}
                  </Link>
                ) : (
                  <span className="text-soft">{t("activity.gone")}</span>
                )}
              </th>
              <td className="text-right tabular-nums">{clock(seconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {value.isPart && <p className="text-12 text-soft">{t("time.part")}</p>}
      {value.redacted ? (
        <p className="text-12 text-soft">{t("time.redacted")}</p>
      ) : (
        chart(
          t("time.byPerson"),
          t("time.person"),
          people.map(({ display_name, seconds }) => ({ name: display_name ?? "–", seconds })),
        )
      )}
    </>
  );
}
