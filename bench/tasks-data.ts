// Fills Workspaces for the benchmark of Tasks by SQL: 30 Projects, every third private, 200 members, and the given
// number of Tasks with related rows. Word frequencies are natural: the first word is in every third title, the last in
// few of 100,000. The owner and the second person have many Tasks, so that their lists fill a page at every size. The
// second person sees two of the private Projects. Every row is as the service would write it; only the audit log
// remains empty.
import pg from "pg";
import { newId, newSecret, sha256 } from "../server/src/platform/wire/ids.ts";
import { type Data, fill } from "./data.ts";

const WORDS = 4_000;
const PROJECTS = 30;
const MEMBERS = 200;
const LABELS = 40;
/** Rows loaded in one batch; two connections alternate. */
const STRETCH = 10_000;
const DENSE_COMMENTS = 100_000;

// Time-ordered ids, as the service generates them.
const id = (at: string) => `uuidv7(${at} - now())`;
/** Zipf distribution: frequencies of 1 : 1/2 : 1/3 and so on. */
const zipf = (most: number) => `floor(exp(random() * ln(${most})))::int`;
const syllable = (number: string) =>
  `substr('${"bacadafagalamanaparasatabecedefegelemenepereseteborocodofogolomonoporosotobulufu"}',
    1 + 2 * (${number} % 40)::int, 2)`;

// Half titles and sentences, from which Tasks and comments are composed. A word has two or three syllables and is
// unique.
const VOCABULARY = `
create table bench_words as select n,
  case when n <= 400 then ${syllable("n * 1597 % 1600 / 40")} || ${syllable("n * 1597 % 1600")}
  else ${syllable("n * 7919 % 64000 / 1600")} || ${syllable("n * 7919 % 64000 / 40")}
    || ${syllable("n * 7919 % 64000")} end as word
  from generate_series(1, ${WORDS}) n;
create table bench_texts as
select g.n, string_agg(w.word, ' ' order by g.place) filter (where g.place <= 3) as half,
  string_agg(w.word, ' ' order by g.place) as sentence
from (select n, place, ${zipf(WORDS)} as word from generate_series(1, 20000) n, generate_series(1, 9) place offset 0) g
join bench_words w on w.n = g.word group by g.n;
create unique index on bench_texts (n); analyze bench_texts`;

// $1 Workspace, $2 owner, $3 second person, $4 the first Project.
const PLACES = [
  `create table bench_people as select n, user_id, actor_id from (
     select row_number() over (order by case m.actor_id when $2 then 1 when $3 then 2 else 3 end, m.id) as n, m.user_id,
       m.actor_id from memberships m where m.workspace_id = $1) m`,
  `insert into bench_people select n, ${id("clock_timestamp()")}, ${id("clock_timestamp()")}
    from generate_series((select count(*) + 1 from bench_people), ${MEMBERS}) n`,
  `insert into users (id, email, display_name, username)
    select user_id, user_id || '@example.com', 'Member ' || n, user_id from bench_people on conflict do nothing`,
  `insert into actors (workspace_id, id, kind, user_id) select $1, actor_id, 'human', user_id from bench_people
    on conflict do nothing`,
  `insert into memberships (workspace_id, id, user_id, actor_id, role, state)
    select $1, ${id("clock_timestamp()")}, user_id, actor_id, 'member', 'active' from bench_people
    on conflict do nothing`,
  `create table bench_projects as select n, case n when 1 then $4 else ${id("clock_timestamp()")} end as id,
    'W' || n - 1 as key from generate_series(1, ${PROJECTS}) n`,
  `insert into projects (workspace_id, id, key, name, visibility, created_by_actor_id, position, state_id)
   select $1, p.id, p.key, 'Project ' || p.n, case p.n % 3 when 0 then 'private' else 'workspace' end, $2, p.n * 1024,
     d.default_state_id
   from bench_projects p join lifecycle_definitions d on d.workspace_id = $1 and d.kind = 'project' where p.n > 1`,
  `insert into project_members (workspace_id, project_id, actor_id, role)
   select $1, p.id, u.actor_id, case when u.n = p.n then 'lead' else 'member' end from bench_projects p
   join bench_people u on u.n % 10 = p.n % 10 and u.n > 2
   union all select $1, p.id, $3, 'member' from bench_projects p where p.n in (3, 6)
   union all select $1, p.id, $2, 'lead' from bench_projects p where p.n > 1`,
  `insert into milestones (workspace_id, id, project_id, number, name, stage_id, created_by_actor_id)
   select $1, ${id("clock_timestamp()")}, p.id, m, 'Milestone ' || m, g.id, $2 from lifecycle_definitions d
   join lifecycle_stages g on g.workspace_id = $1 and g.definition_id = d.id
     and g.name = 'Planned', bench_projects p, generate_series(1, 3) m
   where d.workspace_id = $1 and d.kind = 'milestone'`,
  `insert into label_definitions (workspace_id, id, name, color, purpose, created_by_actor_id)
   select $1, ${id("clock_timestamp()")}, 'Label ' || n, 'gray', 'task', $2 from generate_series(1, ${LABELS}) n`,
  `create table bench_labels as select row_number() over (order by id) as n, id from label_definitions
    where workspace_id = $1`,
];

// Two years of work up to now. A Task's last change is at some time since its creation, mostly early.
const AT = "now() - interval '730 days' * ((b.size - n)::float8 / b.size)";
const TASKS = [
  `create table bench_tasks as
   select n, ${id("created_at")} as id, project, row_number() over (partition by project order by n) as number,
     created_at,
     created_at + (now() - created_at) * random() ^ 3 as updated_at, random() as status, random() as finished,
     random() as trash,
     case when random() < 0.25 then 1 when random() < 0.2 then 2
       when random() < 0.7 then 3 + floor(random() * ${MEMBERS - 2})::int end as assignee,
     case when random() < 0.25 then 1 when random() < 0.2 then 2
       else 3 + floor(random() * ${MEMBERS - 2})::int end as creator,
     (array['none', 'none', 'none', 'none', 'low', 'medium', 'medium', 'high', 'high', 'urgent'])[1
       + floor(random() * 10)::int] as priority,
     case when random() < 0.4 then created_at::date + floor(random() * 60)::int end as due,
     case when random() < 0.5 then 1 + floor(random() * 3)::int end as milestone,
     case when random() < 0.15 then 1 when random() < 0.3 then 2 + floor(random() * ${LABELS - 1})::int end as label,
     1 + floor(random() * 20000)::int as a, 1 + floor(random() * 20000)::int as b, 1 + floor(random() * 20000)::int as c
   from (select n, ${AT} as created_at, ${zipf(PROJECTS + 1)} as project
     from (select $5::int as size) b, generate_series(1, $5) n) t`,
  "create unique index on bench_tasks (n)",
  `create table bench_statuses as select s.*, sum(share) over (order by s.category_rank, s.position) - share as since,
   sum(share) over (order by s.category_rank, s.position) as upto
   from (select id, name, category, category_rank, position,
     case name when 'Backlog' then 0.2 when 'Todo' then 0.2 when 'In Progress' then 0.08
     when 'In Review' then 0.07 when 'Done' then 0.4 else 0.05 end as share from statuses where workspace_id = $1) s`,
  `insert into tasks (workspace_id, id, project_id, number, title, description_markdown, priority, status_id,
     assignee_actor_id, milestone_id, label_ids, due_date,
     position, created_by_actor_id, started_at, completed_at, trashed_at, revision, created_at, updated_at)
   select $1, t.id, p.id, t.number, a.half || ' ' || b.half, c.sentence || '. ' || a.sentence || '.', t.priority, s.id,
     u.actor_id, m.id,
     case when l.id is null then '{}'::uuid[] else array[l.id] end, t.due, t.number, w.actor_id,
     case when s.category in ('started', 'completed')
     then t.created_at + (t.updated_at - t.created_at) * t.finished end,
     case when s.category = 'completed' then t.created_at + (t.updated_at - t.created_at) * t.finished end,
     case when t.trash < 0.02 then t.updated_at end, 2, t.created_at, t.updated_at
   from bench_tasks t join bench_projects p on p.n = t.project join bench_texts a on a.n = t.a
   join bench_texts b on b.n = t.b join bench_texts c on c.n = t.c
   join bench_statuses s on t.status >= s.since and t.status < s.upto join bench_people w on w.n = t.creator
   left join bench_people u on u.n = t.assignee left join bench_labels l on l.n = t.label
   left join milestones m on m.workspace_id = $1 and m.project_id = p.id and m.number = t.milestone order by t.n`,
  `insert into task_counters (workspace_id, project_id, last_number)
   select $1, p.id, coalesce(max(t.number), 0) from bench_projects p left join bench_tasks t on t.project = p.n
   group by p.id
   on conflict (workspace_id, project_id) do update set last_number = excluded.last_number`,
  `insert into label_assignments (workspace_id, label_id, target_kind, target_id)
   select $1, l.id, 'task', t.id from bench_tasks t join bench_labels l on l.n = t.label order by 2, 4`,
  `insert into task_assignments (workspace_id, id, task_id, actor_id, assigned_by_actor_id, assigned_at)
   select $1, ${id("t.created_at")}, t.id, u.actor_id, w.actor_id, t.created_at
   from bench_tasks t join bench_people u on u.n = t.assignee join bench_people w on w.n = t.creator`,
  // In a million Tasks, every third has a comment, and every second an event after its first.
  `insert into comments (workspace_id, id, task_id, author_actor_id, markdown, created_at, updated_at)
   select $1, ${id("c.at")}, c.task_id, u.actor_id, x.sentence || '.', c.at, c.at
   from (select t.n, t.id as task_id, t.created_at + (t.updated_at - t.created_at) * random() as at,
     1 + floor(random() * ${MEMBERS})::int as person, 1 + floor(random() * 20000)::int as text
     from bench_tasks t, generate_series(1, case when $5 <= ${DENSE_COMMENTS} then 2 else 1 end) x
     where $5 <= ${DENSE_COMMENTS} or t.n % 3 = 0 offset 0) c
   join bench_people u on u.n = c.person join bench_texts x on x.n = c.text order by c.n`,
  `insert into domain_events (workspace_id, id, type, activity, actor_id, user_id, source, command_id, project_id,
   task_id, resource_kind, resource_id, payload, occurred_at)
   select $1, ${id("t.created_at")}, 'task.created', 'progress', u.actor_id, u.user_id, 'session',
     ${id("t.created_at")}, p.id, t.id, 'task', t.id, '{}', t.created_at
   from bench_tasks t join bench_projects p on p.n = t.project join bench_people u on u.n = t.creator order by t.n`,
  `insert into domain_events (workspace_id, id, type, activity, actor_id, user_id, source, command_id, project_id,
   task_id, resource_kind, resource_id, payload, occurred_at)
   select $1, ${id("t.updated_at")}, 'task.priority_changed', 'priority', u.actor_id, u.user_id, 'session',
     ${id("t.updated_at")}, p.id, t.id, 'task', t.id,
     jsonb_build_object('from', 'none', 'to', t.priority), t.updated_at
   from bench_tasks t join bench_projects p on p.n = t.project join bench_people u on u.n = t.creator
   where $5 <= ${DENSE_COMMENTS} or t.n % 2 = 0 order by t.updated_at`,
  `insert into domain_events (workspace_id, id, type, activity, actor_id, user_id, source, command_id, project_id,
   task_id, resource_kind, resource_id, payload, occurred_at)
   select $1, ${id("c.created_at")}, 'task.comment.created', 'comment', c.author_actor_id, u.user_id, 'session',
     ${id("c.created_at")}, p.id, t.id, 'comment', c.id, '{}', c.created_at
   from comments c join bench_tasks t on t.id = c.task_id join bench_projects p on p.n = t.project
   join bench_people u on u.actor_id = c.author_actor_id
   where c.workspace_id = $1`,
  `insert into task_relations (workspace_id, id, kind, from_task_id, to_task_id, created_by_actor_id)
   select $1, ${id("t.updated_at")}, case when t.n % 20 = 0 then 'blocks' else 'relates_to' end, t.id, o.id, $2
   from bench_tasks t join bench_tasks o on o.n = t.n - 7 where t.n % 10 = 0`,
  `insert into task_subscriptions (workspace_id, task_id, actor_id, follows, muted)
   select $1, t.id, case t.n % 20 when 0 then $2 else $3 end, true, false from bench_tasks t where t.n % 10 = 0`,
  `insert into time_entries (workspace_id, id, task_id, project_id, actor_id, work_date, recorded_seconds,
   rounding_mode, seconds)
   select $1, ${id("t.updated_at")}, t.id, p.id, u.actor_id, t.updated_at::date, 3600, 'exact', 3600
   from bench_tasks t join bench_projects p on p.n = t.project join bench_people u on u.n = t.creator
   where t.n % 10 = 5`,
];
export interface FilledTasks {
  size: number;
  data: Data;
  /** Filter values of lists: each matches a tenth of the Tasks. */
  statusIds: Record<string, string>;
  labelId: string;
  milestoneId: string;
  privateProjectId: string;
  words: { dense: string; medium: string; rare: string };
  /** The Task for single views: it has some of everything. */
  task: { id: string; code: string };
  /** Personal API tokens of the first two people. */
  tokens: [string, string];
}

// The work of the search job, one batch at a time.
const SOURCES = `
create table bench_sources as select row_number() over () as n, * from (
  select true as task, id from bench_tasks union all select false, id from comments where workspace_id = $1) s`;
const INDEX = `
with s as materialized (select task, ($1, id)::search_source as source from bench_sources
  where n > $2 and n <= $2 + ${STRETCH})
select index_search_of(array(select source from s where task), array(select source from s where not task))`;
const TABLES = ["words", "texts", "people", "projects", "labels", "tasks", "statuses", "sources"];
const tables = (names: string[]) => names.map((name) => `bench_${name}`).join(", ");

/** Inserts $1 and so on as literals: a statement that creates a table takes no parameters. */
const filled = (sql: string, values: unknown[]) =>
  sql.replace(/\$(\d)/g, (_, index) => {
    const value = values[index - 1];
    return typeof value === "number" ? String(value) : `${pg.escapeLiteral(String(value))}::uuid`;
  });

async function indexWords(clients: pg.Client[], workspaceId: string) {
  const { rows } = await (clients[0] as pg.Client).query("select count(*)::int as count from bench_sources");
  let next = 0;
  const work = async (client: pg.Client) => {
    for (let from = next; from < rows[0].count; from = next) {
      next += STRETCH;
      await client.query(filled(INDEX, [workspaceId, from]));
    }
  };
  await Promise.all(clients.map(work));
}

const LOOKED_FOR = `
select (select json_object_agg(name, id) from statuses where workspace_id = $1) as "statusIds",
  (select id from bench_labels where n = 1) as "labelId", (select id from bench_projects
  where n = 3) as "privateProjectId",
  (select id from milestones where workspace_id = $1 and project_id = $4 and number = 1) as "milestoneId",
  (select json_object_agg(case n when 2 then 'dense' when 100 then 'medium' else 'rare' end, word) from bench_words
  where n in (2, 100, 3900)) as words,
  (select json_build_object('id', t.id, 'code', 'W0-' || t.number) from bench_tasks t
   where t.project = 1 and t.n % 10 = 0 and t.trash > 0.02 and t.assignee is not null order by t.n desc
   limit 1) as task,
  (select json_agg(id) from (select id from bench_tasks where trash > 0.02 and project % 3 > 0 order by md5(id::text)
    limit 2000) t) as "taskIds"`;
const TOKEN = `
insert into credentials (id, kind, secret_hash, user_id, workspace_id, scopes, name, last_four, expires_at)
select $1, 'personal', $2, user_id, workspace_id, '{svc:read,svc:write}', 'bench', 'test', now() + interval '1 day'
from memberships where workspace_id = $3 and actor_id = $4`;

async function fillOne(databaseUrl: string, clients: pg.Client[], size: number): Promise<FilledTasks> {
  const [client] = clients as [pg.Client];
  const data = await fill(databaseUrl, [0], "W");
  const [owner, second] = data.people as [Data["people"][number], Data["people"][number]];
  const values = [data.workspaceId, owner.actorId, second.actorId, data.projectIds[0], size];
  // Without statistics of these new tables, the planner would choose nested loops.
  await client.query("set enable_nestloop = off");
  for (const sql of [...PLACES, ...TASKS, SOURCES]) await client.query(filled(sql, values));
  await client.query("reset enable_nestloop; analyze tasks, comments, bench_sources");
  await indexWords(clients, data.workspaceId);
  const { rows } = await client.query(filled(LOOKED_FOR, values));
  const { taskIds, ...found } = rows[0];
  const tokens = [newSecret("pat"), newSecret("pat")] as [string, string];
  for (const [index, person] of [owner, second].entries())
    await client.query(TOKEN, [newId(), sha256(tokens[index] as string), data.workspaceId, person.actorId]);
  await client.query(`drop table ${tables(TABLES.slice(2))}`);
  return { size, data: { ...data, taskIds }, tokens, ...found };
}

// Creates the indexes of large tables after all rows are loaded: a fifth of the time.
const INDEXES = `
select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made from pg_index i
where i.indrelid = any('{tasks,comments,domain_events,search_entries,task_assignments}'::regclass[])
  and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`;

export async function fillTasks(databaseUrl: string, sizes: readonly number[]): Promise<FilledTasks[]> {
  const clients = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)];
  const [client] = clients as [pg.Client];
  for (const each of clients) {
    await each.connect();
    // The rows are correct by construction: checking millions of foreign keys would take most of the time.
    await each.query(
      "set session_replication_role = replica; set maintenance_work_mem = '512MB'; set work_mem = '256MB'; " +
        "set synchronous_commit = off; set jit = off",
    );
  }
  const started = performance.now();
  const say = (what: string) => console.log(`  ${((performance.now() - started) / 1000).toFixed(0)} s: ${what}`);
  // Marks the rows as processed, or the service's own job would index them all as new.
  const progress = "select events_read(reader, now()) from unnest(array['search', 'inbox']) reader";
  await client.query(progress);
  await client.query("select setseed(0.5)");
  await client.query(VOCABULARY);
  const indexes: { name: string; made: string }[] = (await client.query(INDEXES)).rows;
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  const places: FilledTasks[] = [];
  for (const size of sizes) {
    places.push(await fillOne(databaseUrl, clients, size));
    say(`${size.toLocaleString("en")} Tasks, with all that they have`);
  }
  const making = indexes.values();
  await Promise.all(
    clients.map(async (each) => {
      for (const { made } of making) await each.query(made);
    }),
  );
  await client.query(`drop table ${tables(TABLES.slice(0, 2))}`);
  await client.query(progress);
  say(`${indexes.length} indexes`);
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  say("vacuumed");
  for (const each of clients) await each.end();
  return places;
}
