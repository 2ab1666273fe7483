// Fills Workspaces for the benchmark of Projects by SQL, with the given number of Projects and members. Half of the
// Projects are private; each has a few members, Milestones, Tasks and events, and one has all members and as many Tasks
// and events as there are Projects. The second person is in every hundredth Project, a private one.
import type pg from "pg";
import { type Data, fill } from "./data.ts";

// Time-ordered ids, as the service generates them.
const ID = `(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
  || substr(md5(random()::text), 1, 3)
  || '8' || substr(md5(random()::text), 1, 15))::uuid`;
const BEGIN = `
create temp table bench (workspace_id uuid, size int, actor_id uuid, large uuid, member_id uuid);
create temp table bench_people (n int, user_id uuid, actor_id uuid);
create temp table bench_projects (n int, id uuid)`;
const FILL = `
insert into bench_people select n, ${ID}, ${ID} from bench, generate_series(1, size) n;
insert into users (id, email, display_name, username) select user_id, user_id || '@example.com', 'Member ' || n, user_id
from bench_people;
insert into actors (workspace_id, id, kind, user_id) select b.workspace_id, u.actor_id, 'human', u.user_id
from bench b, bench_people u;
insert into memberships (workspace_id, id, user_id, actor_id, role, state)
select b.workspace_id, ${ID}, u.user_id, u.actor_id, 'member', 'active' from bench b, bench_people u;
insert into bench_projects select n, ${ID} from bench, generate_series(1, size) n;
insert into projects (workspace_id, id, key, name, visibility, created_by_actor_id, position, state_id)
select b.workspace_id, p.id, 'P' || p.n, 'Project number ' || p.n,
  case p.n % 2 when 0 then 'private' else 'workspace' end, b.actor_id,
  p.n * 1024, d.default_state_id
from bench b join lifecycle_definitions d on d.workspace_id = b.workspace_id and d.kind = 'project', bench_projects p;
insert into task_counters (workspace_id, project_id, last_number) select b.workspace_id, p.id, 3
from bench b, bench_projects p;
insert into bench_projects select 0, large from bench;
insert into project_members (workspace_id, project_id, actor_id, role)
select b.workspace_id, p.id, u.actor_id, case u.n when p.n then 'lead' else 'member' end
from bench b, bench_projects p join bench_people u on p.n = 0 or u.n in (p.n, p.n + 1, p.n + 2);
insert into project_members (workspace_id, project_id, actor_id, role)
select b.workspace_id, p.id, b.member_id, 'member' from bench b, bench_projects p where p.n % 100 = 2;
insert into milestones (workspace_id, id, project_id, number, name, stage_id, created_by_actor_id)
select b.workspace_id, ${ID}, p.id, m, 'Milestone ' || m, g.id, b.actor_id
from bench b join lifecycle_definitions d on d.workspace_id = b.workspace_id and d.kind = 'milestone'
join lifecycle_stages g on g.workspace_id = b.workspace_id and g.definition_id = d.id
  and g.name = 'Planned', bench_projects p, generate_series(1, 2) m;
insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id, milestone_id)
select b.workspace_id, ${ID}, p.id, t, 'Task number ' || t, s.ids[1 + (p.n + t) % cardinality(s.ids)], t,
  b.actor_id, m.id
from bench b join lateral (select array_agg(id) as ids from statuses where workspace_id = b.workspace_id) s on true
join bench_projects p on p.n > 0 join generate_series(1, 3) t on true
left join milestones m on m.workspace_id = b.workspace_id and m.project_id = p.id and m.number = t;
insert into domain_events (workspace_id, id, type, activity, actor_id, command_id, project_id, resource_kind,
  resource_id)
select b.workspace_id, ${ID}, 'project.updated', 'project', b.actor_id, ${ID}, p.id, 'project', p.id
from bench b, bench_projects p, lateral generate_series(1, case p.n when 0 then b.size else 3 end) e;
drop table bench, bench_people, bench_projects`;

export interface Filled {
  size: number;
  data: Data;
  /** Id of a Project that is neither private nor large. */
  small: string;
}

export async function fillProjects(databaseUrl: string, client: pg.Client, size: number): Promise<Filled> {
  const data = await fill(databaseUrl, [size], "LARGE");
  const values = [data.workspaceId, size, data.people[0]?.actorId, data.projectIds[0], data.people[1]?.actorId];
  await client.query(BEGIN);
  await client.query("insert into bench values ($1, $2, $3, $4, $5)", values);
  await client.query(FILL);
  const found = await client.query("select id from projects where workspace_id = $1 and key = 'P5'", [
    data.workspaceId,
  ]);
  return { size, data, small: found.rows[0].id };
}
