// Reads the rows of one Workspace after a run, grouped by the write that created them. The mark of a write is the title
// or text that it wrote, and the prefix of the correlation id in its audit row.
import pg from "pg";
import { writeOf } from "./ledger.ts";

export interface StoredTask {
  revision: number;
  title: string;
}
export interface Truth {
  tasks: Map<string, StoredTask>;
  /** Ids of the rows that a write created, by its mark. */
  marked: Map<string, string[]>;
  audits: Map<string, { id: string; correlation: string; events: string[] }[]>;
  keys: Map<string, { status: number | null; etag: string | null; body: string | null }[]>;
  orphanEvents: string[];
  numbers: { projectId: string; numbers: number[]; last: number }[];
}

const TASKS = "select id, title, revision::int from tasks where workspace_id = $1";
// The event of its creation has a Task's first title; updates overwrite the row's title.
const MARKED = `
select resource_id as id, payload ->> 'title' as mark from domain_events
where workspace_id = $1 and type = 'task.created'
union all select id, markdown from comments where workspace_id = $1
union all select id, name from projects where workspace_id = $1`;
const AUDITS = `
select a.id, a.correlation_id, array_remove(array_agg(e.type || ' ' || e.resource_id order by e.id), null) as events
from audit_log a left join domain_events e on e.workspace_id = a.workspace_id and e.command_id = a.id
where a.workspace_id = $1 group by a.workspace_id, a.id`;
const KEYS = `select encode(key_hash, 'hex') as hash, status, etag, body from idempotency_keys where workspace_id = $1`;
const ORPHANS = `
select 'event ' || type || ' ' || id as name from domain_events e where workspace_id = $1
  and not exists (select from audit_log a where a.workspace_id = e.workspace_id and a.id = e.command_id)
union all select 'Task ' || id from tasks t where workspace_id = $1
  and not exists (select from domain_events e
    where e.workspace_id = t.workspace_id and e.type = 'task.created' and e.resource_id = t.id)`;
const NUMBERS = `
select c.project_id as "projectId", c.last_number::int as last,
  coalesce(array_agg(t.number::int order by t.number) filter (where t.number is not null), '{}') as numbers
from task_counters c left join tasks t on t.workspace_id = c.workspace_id and t.project_id = c.project_id
where c.workspace_id = $1 group by c.project_id, c.last_number`;

export async function readTruth(databaseUrl: string, workspaceId: string): Promise<Truth> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const rows = async (sql: string) => (await client.query(sql, [workspaceId])).rows;
    return {
      tasks: new Map((await rows(TASKS)).map(({ id, title, revision }) => [id, { title, revision }])),
      marked: group(await rows(MARKED), (row) => [row.mark, row.id]),
      audits: group(await rows(AUDITS), ({ id, correlation_id: correlation, events }) => [
        writeOf(correlation),
        { id, correlation, events },
      ]),
      keys: group(await rows(KEYS), ({ hash, ...answer }) => [hash, answer]),
      orphanEvents: (await rows(ORPHANS)).map(({ name }) => name),
      numbers: await rows(NUMBERS),
    };
  } finally {
    await client.end();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: rows as the driver gives them.
function group<V>(rows: any[], pair: (row: any) => [string, V]): Map<string, V[]> {
  const groups = new Map<string, V[]>();
  for (const row of rows) {
    const [key, value] = pair(row);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return groups;
}
