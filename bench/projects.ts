// Cost of the list of Projects and of one overview as a Workspace grows: 10, 1,000 and 10,000 Projects and as many
// members, requested by the owner and by a member who sees half of them. The comparison is the time of the bare
// statement: the essential query alone, without access checks.
import type pg from "pg";
import { projectRowView, projectView } from "../server/src/planning/projects/view.ts";
import type { Data } from "./data.ts";
import { type Filled, fillProjects } from "./projects-data.ts";
import { cpu, type Measured, median, printColumns } from "./table.ts";

const SIZES = [10, 1000, 10_000] as const;
const SECONDS = 1.5;
/** Number of runs of a bare statement. */
const TIMED = 300;

type Caller = "owner" | "member";
interface Scenario {
  name: string;
  caller: Caller;
  path(port: number, on: Filled, session: string): Promise<string>;
  bare: (on: Filled, actorId: string) => { text: string; values: unknown[] };
}

const visible = `(p.visibility = 'workspace' or exists (
  select from project_members m where m.workspace_id = p.workspace_id and m.project_id = p.id and m.actor_id = $2))`;
/** A page from the beginning, or from about a page before the end. */
const bareList = (caller: Caller, late: boolean) => (on: Filled, actorId: string) => ({
  text: `select ${projectRowView} as json from projects p
    where p.workspace_id = $1 and p.deleted_at is null and p.archived_at is null
    and ${caller === "owner" ? "$2::uuid is not null" : visible} and p.position > $3 order by p.position, p.id
      limit 51`,
  values: [on.data.workspaceId, actorId, late ? Math.max(0, on.size - (caller === "owner" ? 60 : 110)) * 1024 : 0],
});
const OVERVIEW = `select ${projectView} as json,
  (select json_object_agg(s.id, c.tasks) from (
    select t.status_id, count(*) as tasks from tasks t
    where t.workspace_id = p.workspace_id and t.project_id = p.id and t.trashed_at is null group by t.status_id) c
    join statuses s on s.workspace_id = p.workspace_id and s.id = c.status_id) as counts,
  (select count(*) from project_members m where m.workspace_id = p.workspace_id and m.project_id = p.id) as members
from projects p where p.workspace_id = $1 and p.id = $2`;

const listPath = ({ data }: Filled, cursor: string | null) =>
  `/workspaces/${data.workspaceId}/projects?limit=50${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
/** The last full page, or the first if there are few. */
async function latePath(port: number, on: Filled, session: string): Promise<string> {
  const headers = { cookie: `__Host-svc_session=${session}` };
  for (let path = listPath(on, null), last = path; ; ) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    const { next_cursor } = (await response.json()) as { next_cursor: string | null };
    if (next_cursor === null) return last;
    [last, path] = [path, listPath(on, next_cursor)];
  }
}
const overview = (name: string, project: (on: Filled) => string | undefined): Scenario => ({
  name,
  caller: "member",
  path: async (_port, on) => `/projects/${project(on)}/overview`,
  bare: (on) => ({ text: OVERVIEW, values: [on.data.workspaceId, project(on)] }),
});

const scenarios: Scenario[] = [
  ...(["owner", "member"] as const).flatMap((caller): Scenario[] => [
    {
      name: `list Projects, first page, ${caller}`,
      caller,
      path: async (_port, on) => listPath(on, null),
      bare: bareList(caller, false),
    },
    { name: `list Projects, late page, ${caller}`, caller, path: latePath, bare: bareList(caller, true) },
  ]),
  overview("overview of a small Project", ({ small }) => small),
  overview("overview of the largest Project", ({ data }) => data.projectIds[0]),
];

/** Median milliseconds of the bare statement, on a connection that nothing else uses. */
async function bareMs(client: pg.Client, statement: { text: string; values: unknown[] }, name: string) {
  const times: number[] = [];
  for (let count = 0; count < TIMED; count++) {
    const started = performance.now();
    await client.query({ ...statement, name });
    times.push(performance.now() - started);
  }
  return median(times);
}

/** `measure` drives the service with these paths for some seconds. */
export async function measureProjects(
  databaseUrl: string,
  client: pg.Client,
  port: number,
  measure: (data: Data, seconds: number) => Promise<Measured>,
  only = "",
) {
  const wanted = scenarios.filter(({ name }) => name.includes(only));
  if (wanted.length === 0) return;
  console.log(
    `Loading Workspaces with ${SIZES.map((size) => size.toLocaleString("en")).join(", ")} Projects and members …`,
  );
  const places: Filled[] = [];
  for (const size of SIZES) places.push(await fillProjects(databaseUrl, client, size));
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  await client.query("set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off");
  const rows: string[][] = [];
  const growth: string[] = [];
  for (const { name, caller, path, bare } of wanted) {
    const costs: number[] = [];
    for (const on of places) {
      const person = on.data.people[caller === "owner" ? 0 : 1] as Data["people"][number];
      const data: Data = { ...on.data, people: [person], paths: [await path(port, on, person.session)] };
      await measure(data, SECONDS / 3);
      const found = await measure(data, SECONDS);
      costs.push(cpu(found));
      rows.push([
        name,
        on.size.toLocaleString("en"),
        found.perSecond.toFixed(0),
        found.p50.toFixed(2),
        found.p99.toFixed(2),
        found.trips.toFixed(1),
        `${cpu(found).toFixed(3)} (${found.serverMs.toFixed(3)}+${found.databaseMs.toFixed(3)})`,
        (await bareMs(client, bare(on, person.actorId), `${name} ${on.size}`.slice(-63))).toFixed(2),
      ]);
    }
    const [few, some, many] = costs as [number, number, number];
    growth.push(`${name} ${(many / few).toFixed(2)} (from 1,000 ${(many / some).toFixed(2)})`);
  }
  printColumns(["", "Projects", "req/s", "p50 ms", "p99 ms", "trips", "CPU ms (server+db)", "bare SQL ms"], rows);
  console.log(
    `How many times the CPU of one request, from 10 to 10,000 Projects and members:\n  ${growth.join("\n  ")}`,
  );
}
