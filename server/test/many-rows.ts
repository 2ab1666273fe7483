// 20,000 of everything that a list can be long of, in one Workspace and around one account, loaded by SQL.
import pg from "pg";

export const ROWS = 20_000;

export interface Around {
  workspaceId: string;
  /** Owns the Workspace, the Tasks and half of the tokens. */
  userId: string;
  actorId: string;
  /** Has the other tokens, and is a member of every fourth Project. */
  readerUserId: string;
  readerActorId: string;
  projectId: string;
  taskId: string;
  statusId: string;
  /** Half of the Tasks are in it; the others have one each. */
  milestoneId: string;
}

// `made` has a number n and an id of each row. $1 Workspace, $2 user, $3 Actor, $4 reading user, $5 reading Actor, $6 Project,
// $7 Task, $8 Status, $9 Milestone.
const statements = [
  "insert into users (id, email, display_name, username) select id, n || '@example.com', 'Person ' || n, 'person-' || n from made",
  "insert into workspaces (id, name, slug, created_by_user_id) select id, 'W' || n, 'w-' || n, id from made",
  "insert into actors (workspace_id, id, kind, user_id) select $1, id, 'human', id from made",
  "insert into actors (workspace_id, id, kind, user_id) select id, id, 'human', $2 from made",
  `insert into memberships (workspace_id, id, user_id, actor_id, role, state)
   select $1, id, id, id, 'member', 'active' from made union all select id, id, $2, id, 'member', 'active' from made`,
  `insert into invitations (workspace_id, id, email, role, state, token_hash, invited_by_actor_id, expires_at)
   select $1, id, n || '@example.org', 'member', case n % 2 when 0 then 'pending' else 'expired' end, sha256(n::text::bytea), $3, now() + interval '7 days' from made`,
  `insert into credentials (id, kind, secret_hash, user_id, workspace_id, scopes, name, last_four, expires_at)
   select id, 'personal', decode(md5(n::text), 'hex'), case n % 2 when 0 then $2 else $4 end, $1, '{svc:read}', 'token', '1234', now() + interval '1 day' from made`,
  `insert into credentials (id, kind, secret_hash, user_id, workspace_id, expires_at)
   select gen_random_uuid(), 'session', sha256(n::text::bytea), case n % 2 when 0 then $2 else $4 end, $1, now() + interval '1 day' from made`,
  `insert into credentials (id, kind, secret_hash, workspace_id, actor_id, project_ids, scopes, name, last_four, expires_at)
   select gen_random_uuid(), 'service', sha256(('service ' || n)::bytea), $1, id, '{}', '{svc:read}', 'service', '1234', now() + interval '1 day' from made`,
  `insert into oauth_grants (id, family, client_id, client_name, user_id, workspace_id, scopes, last_used_at)
   select id, case n % 3 when 0 then 'native' else 'mcp' end, 'client', 'Client', case n % 2 when 0 then $2 else $4 end, $1, '{svc:read}', now() from made`,
  `insert into oauth_refresh_tokens (token_hash, grant_id, expires_at) select sha256(n::text::bytea), id, now() + interval '1 day' from made`,
  `insert into passkeys (id, user_id, credential_id, public_key, counter, backup_eligible, backup_state, name)
   select id, case n % 2 when 0 then $2 else $4 end, sha256(n::text::bytea), '', 0, false, false, 'Key' from made`,
  "insert into identities (id, user_id, provider, subject) select id, id, 'google', n::text from made",
  "insert into provider_requests (state_hash, provider, sealed, expires_at) select sha256(n::text::bytea), 'google', '', now() from made",
  `insert into projects (workspace_id, id, key, name, visibility, created_by_actor_id, position, state_id, archived_at)
   select $1, made.id, 'P' || n, 'Project ' || n, case n % 2 when 0 then 'private' else 'workspace' end, $3, n, st.id, case n % 5 when 0 then now() end
   from made join project_states st on st.workspace_id = $1 and st.name = case n % 3 when 0 then 'Planned' else 'Completed' end`,
  "insert into project_members (workspace_id, project_id, actor_id, role) select $1, $6, id, 'member' from made",
  "insert into project_members (workspace_id, project_id, actor_id, role) select $1, id, $5, 'member' from made where n % 4 = 0",
  "insert into task_counters (workspace_id, project_id) select $1, id from made",
  "insert into statuses (workspace_id, id, project_id, name, category, position, stage_id) select $1, made.id, made.id, 'Own', 'started', n, s.stage_id from made, statuses s where s.workspace_id = $1 and s.name = 'In Progress'",
  `insert into milestones (workspace_id, id, project_id, number, name, stage_id, target_date, created_by_actor_id)
   select $1, made.id, $6, n + 1, 'Milestone ' || n, g.id, date '2026-01-01' + n % 5000, $3 from made, lifecycle_stages g
   join lifecycle_definitions d on d.workspace_id = $1 and d.id = g.definition_id and d.kind = 'milestone'
   where g.workspace_id = $1 and g.category = case n % 2 when 0 then 'started' else 'completed' end`,
  `insert into tasks (workspace_id, id, project_id, number, title, status_id, assignee_actor_id, position, created_by_actor_id, milestone_id)
   select $1, made.id, $6, n + 1, 'Task ' || n, case n % 3 when 0 then $8 else done.id end, case n % 7 when 0 then $3 end, n, $3,
     case n % 2 when 0 then $9 else made.id end
   from made, (select id from statuses where workspace_id = $1 and name = 'Done') done`,
  `update task_counters set last_number = ${ROWS} + 1 where workspace_id = $1 and project_id = $6`,
  "insert into task_assignments (workspace_id, id, task_id, actor_id, assigned_by_actor_id) select $1, id, id, $3, $3 from made",
  `insert into comments (workspace_id, id, task_id, author_actor_id, markdown, created_at)
   select $1, id, $7, $3, 'Comment ' || n, now() + n * interval '1 ms' from made`,
  `insert into comment_reactions (workspace_id, comment_id, reaction, actor_id)
   select $1, id, reaction, $3 from made, unnest(array['heart', 'tada']) reaction`,
  `insert into idempotency_keys (workspace_id, principal_id, operation, key_hash, fingerprint, status, body, command_id)
   select $1, $3, 'createTask', decode(md5(n::text), 'hex'), '', 201, '', id from made`,
  `insert into domain_events (workspace_id, id, type, activity, actor_id, source, command_id, project_id, task_id, resource_kind, resource_id, occurred_at)
   select $1, id, 'task.created', case n % 2 when 0 then 'progress' end, $3, 'session', id, $6, id, 'task', id, now() - n * interval '3 minutes' from made`,
];

export async function loadManyRows(databaseUrl: string, around: Around): Promise<void> {
  const { workspaceId, userId, actorId, readerUserId, readerActorId, projectId, taskId, statusId, milestoneId } =
    around;
  const values = [workspaceId, userId, actorId, readerUserId, readerActorId, projectId, taskId, statusId, milestoneId];
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    // The rows are right by construction: checking 300,000 foreign keys would take most of the time.
    await client.query("set session_replication_role = replica");
    await client.query(`create table made as select n, gen_random_uuid() as id from generate_series(1, ${ROWS}) n`);
    for (const sql of statements) {
      const text = sql.replace(/\$(\d)/g, (_, index) => `${client.escapeLiteral(values[index - 1] as string)}::uuid`);
      await client.query(text);
    }
    await client.query("drop table made");
    // The planner chooses by statistics, which autovacuum would gather a minute later.
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}
