// 100,000 Tasks, with what is searched and told of them, and 20,000 of everything else that a list can be long of, in
// one Workspace and around one account, loaded by SQL. Ids grow with time, as those of the service do: plans depend on
// it.
import pg from "pg";
import { integrationRows } from "./many-integrations.ts";
import { isNarrowed } from "./selected-operations.ts";

/** A tenth for `npm run check`: 4 s of loading instead of 40 s, and a table is still too long to be scanned. */
export const ROWS = isNarrowed ? 2_000 : 20_000;
const TASKS = 5 * ROWS;

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

// `made` has a number n and an id of each row, `all_made` those of the Tasks, of which the first are the same. $1
// Workspace, $2 user, $3 Actor, $4 reading user, $5 reading Actor, $6 Project, $7 Task, $8 Status, $9 Milestone.
const statements = [
  `insert into users (id, email, display_name, username) select id, n || '@example.com', 'Person ' || n, 'person-' || n
    from made`,
  "insert into workspaces (id, name, slug, created_by_user_id) select id, 'W' || n, 'w-' || n, id from made",
  "insert into actors (workspace_id, id, kind, user_id) select $1, id, 'human', id from made",
  "insert into actors (workspace_id, id, kind, user_id) select id, id, 'human', $2 from made",
  `insert into memberships (workspace_id, id, user_id, actor_id, role, state)
   select $1, id, id, id, 'member', 'active' from made union all select id, id, $2, id, 'member', 'active' from made`,
  `insert into invitations (workspace_id, id, email, role, state, token_hash, invited_by_actor_id, expires_at)
   select $1, id, n || '@example.org', 'member', case n % 2 when 0 then 'pending' else 'expired' end,
     sha256(n::text::bytea), $3, now() + interval '7 days' from made`,
  `insert into credentials (id, kind, secret_hash, user_id, workspace_id, scopes, name, last_four, expires_at)
   select id, 'personal', decode(md5(n::text), 'hex'), case n % 2 when 0 then $2 else $4 end, $1, '{svc:read}', 'token',
     '1234', now() + interval '1 day' from made`,
  `insert into credentials (id, kind, secret_hash, user_id, workspace_id, expires_at)
   select uuidv7(), 'session', sha256(n::text::bytea), case n % 2 when 0 then $2 else $4 end, $1,
     now() + interval '1 day' from made`,
  `insert into credentials (id, kind, secret_hash, workspace_id, actor_id, project_ids, scopes, name, last_four,
   expires_at)
   select uuidv7(), 'service', sha256(('service ' || n)::bytea), $1, id, '{}', '{svc:read}', 'service', '1234',
     now() + interval '1 day' from made`,
  `insert into oauth_grants (id, family, client_id, client_name, user_id, workspace_id, scopes, last_used_at)
   select id, case n % 3 when 0 then 'native' else 'mcp' end, 'client', 'Client',
     case n % 50 when 0 then $2 when 1 then $4 else id end, $1, '{svc:read}', now() from made`,
  `insert into oauth_refresh_tokens (token_hash, grant_id, expires_at)
    select sha256(n::text::bytea), id, now() + interval '1 day' from made`,
  `insert into passkeys (id, user_id, credential_id, public_key, counter, backup_eligible, backup_state, name)
   select id, case n % 2 when 0 then $2 else $4 end, sha256(n::text::bytea), '', 0, false, false, 'Key' from made`,
  "insert into identities (id, user_id, provider, subject) select id, id, 'google', n::text from made",
  `insert into provider_requests (state_hash, provider, sealed, expires_at)
    select sha256(n::text::bytea), 'google', '', now() from made`,
  `insert into projects (workspace_id, id, key, name, visibility, created_by_actor_id, position, state_id, archived_at)
   select $1, made.id, 'P' || n, 'Project ' || n, case n % 2 when 0 then 'private' else 'workspace' end, $3, n, st.id,
     case n % 5 when 0 then now() end
   from made join project_states st on st.workspace_id = $1
     and st.name = case n % 3 when 0 then 'Planned' else 'Completed' end`,
  "insert into project_members (workspace_id, project_id, actor_id, role) select $1, $6, id, 'member' from made",
  `insert into project_members (workspace_id, project_id, actor_id, role) select $1, id, $5, 'member' from made
    where n % 4 = 0`,
  "insert into task_counters (workspace_id, project_id) select $1, id from made",
  `insert into statuses (workspace_id, id, project_id, name, category, position, stage_id)
    select $1, made.id, made.id, 'Own', 'started', n, s.stage_id from made, statuses s
    where s.workspace_id = $1 and s.name = 'In Progress'`,
  `insert into milestones (workspace_id, id, project_id, number, name, stage_id, target_date, created_by_actor_id)
   select $1, made.id, $6, n + 1, 'Milestone ' || n, g.id, date '2026-01-01' + n % 5000, $3
   from made, lifecycle_stages g
   join lifecycle_definitions d on d.workspace_id = $1 and d.id = g.definition_id and d.kind = 'milestone'
   where g.workspace_id = $1 and g.category = case n % 2 when 0 then 'started' else 'completed' end`,
  // Every sixth has a due date and every ninth is in the trash.
  `insert into tasks (workspace_id, id, project_id, number, title, status_id, assignee_actor_id, position,
     created_by_actor_id, milestone_id,
     due_date, updated_at, trashed_at, completed_at)
   select $1, made.id, $6, n + 1, 'Task ' || n, case n % 3 when 0 then $8 else done.id end,
     case n % 7 when 0 then $3 end, n, $3,
     case when n % 2 = 0 then $9 when n <= ${ROWS} then made.id end,
     case n % 6 when 0 then date '2026-01-01' + n % 500 end,
     case n % 6 when 0 then now() - n * interval '1 minute' else now() end,
     case n % 9 when 0 then now() - n * interval '1 minute' end,
     case when n % 3 > 0 then now() - n * interval '1 minute' end
   from all_made made, (select id from statuses where workspace_id = $1 and name = 'Done') done`,
  `update task_counters set last_number = ${TASKS} + 1 where workspace_id = $1 and project_id = $6`,
  // Of every Workspace one, and here as many as there may be, of which the Project's id has the requests.
  `insert into agent_definitions (workspace_id, id, state, published_version, created_by_actor_id)
   select $1, id, 'published', 1, $3 from made where n < 200 union all select $1, $6, 'published', 1, $3
   union all select id, id, 'published', 1, id from made`,
  `insert into agent_versions (workspace_id, definition_id, version, name, description, instructions, tools, triggers,
   project_ids, budgets, published_by_actor_id, published_at)
   select workspace_id, id, 1, 'Helper', '', 'Help.', '{find}', '[{"kind": "manual"}]', '{}',
     '{"runs_per_hour": 1, "seconds_per_run": 30, "steps_per_run": 1, "tokens_per_run": 1000, "tokens_per_day": 1000, "changes_at_once": 0}', created_by_actor_id, now() from agent_definitions`,
  `insert into actors (workspace_id, id, kind, name) select workspace_id, uuidv7(), 'agent', 'Helper'
    from agent_definitions`,
  `insert into agents (workspace_id, id, definition_id, version, actor_id, name, username, created_by_actor_id)
   select d.workspace_id, d.id, d.id, 1, a.id, 'Helper', 'helper-' || a.id, d.created_by_actor_id from (
     select *, row_number() over (partition by workspace_id order by id) as n from agent_definitions where id <> $6) d
   join (select *, row_number() over (partition by workspace_id order by id) as n from actors where kind = 'agent') a
     on a.workspace_id = d.workspace_id and a.n = d.n`,
  // The second Agent has half of the runs, and the owner half of those. Of the first run there is everything.
  `insert into agent_runs (workspace_id, id, agent_id, definition_id, version, initiator_actor_id, trigger, state,
   cause, created_at)
   select $1, m.id, a.id, a.definition_id, 1, case m.n % 2 when 0 then $3 else a.actor_id end,
     case m.n % 5 when 0 then 'discuss' else 'manual' end,
     case m.n % 7 when 0 then 'waiting' else 'completed' end, 'cause ' || m.n, now() - m.n * interval '1 minute'
   from made m join (select *, row_number() over (order by id) - 1 as n from agents where workspace_id = $1) a
     on a.n = case m.n % 2 when 0 then 1 else m.n % 100 end`,
  `insert into agent_steps (workspace_id, run_id, number, kind, asked, created_at)
    select $1, id, 1, 'model', 'sealed', now() - n * interval '1 minute' from made
    where exists (select from agent_runs r where r.id = made.id)`,
  `insert into agent_actions (workspace_id, id, run_id, number, kind, target, preview, input, state, approval_id,
   digest, expires_at)
   select $1, uuidv7(), case n % 2
     when 0 then (select min(id::text)::uuid from agent_runs where workspace_id = $1 and initiator_actor_id = $3)
     else id end, n, 'comment', 'ENG-' || n, '', '',
     case n % 3 when 0 then 'waiting' else 'done' end, id, repeat('0', 64), now() + n * interval '1 minute' from made
       where exists (select from agent_runs r where r.id = made.id)`,
  `insert into agent_outputs (workspace_id, id, run_id, number, kind, text)
   select $1, uuidv7(), case n % 2
     when 0 then (select min(id::text)::uuid from agent_runs where workspace_id = $1 and initiator_actor_id = $3)
     else id end, n, 'text', 'Said' from made
   where exists (select from agent_runs r where r.id = made.id)`,
  `insert into agent_requests (workspace_id, id, definition_id, kind, note, requested_by_actor_id)
   select $1, id, case n % 2 when 0 then $6 else id end, 'access', '', id from made`,
  `insert into agent_usage (workspace_id, definition_id, day, runs) select $1, id, current_date, 1 from made
    union all select $1, $6, current_date - n, 1 from made where n <= 400`,
  // Of every Workspace one, and here as many as there may be, of which the Project's id has the log.
  `insert into webhook_endpoints (workspace_id, id, name, url, actions, sealed_secret, created_by_actor_id)
   select $1, id, 'Reports', 'https://hooks.example.com', '{task.created}'::text[], 'sealed', $3 from made where n < 19
   union all select $1, $6, 'Reports', 'https://hooks.example.com', '{task.created}'::text[], 'sealed', $3
   union all select id, id, 'Reports', 'https://hooks.example.com', '{task.created}'::text[], 'sealed', id from made`,
  `insert into webhook_positions (workspace_id, epoch, tx, event_id)
    select workspace_id, journal_epoch(), '3', min(id::text)::uuid from webhook_endpoints group by workspace_id`,
  `insert into webhook_deliveries (workspace_id, id, endpoint_id, event_id, action, state, attempts, next_attempt_at,
   created_at)
   select $1, id, $6, id, 'task.created', case n % 4 when 0 then 'failed' when 1 then 'queued' else 'delivered' end, 1,
     case n % 4 when 1 then now() + n * interval '1 second' end, now() - n * interval '1 minute' from made
   union all select id, id, id, id, 'task.created', 'delivered', 1, null, now() from made`,
  ...integrationRows,
  `insert into label_definitions (workspace_id, id, project_id, name, color, purpose, created_by_actor_id)
   select $1, id, id, 'Label ' || n, 'gray', 'task', $3 from made
   union all select $1, uuidv7(), null, 'Label ' || n, 'gray', 'task', $3 from made where n <= 500
   union all select $1, uuidv7(), $6, 'Label ' || n, 'gray', 'task', $3 from made where n <= 500`,
  `insert into label_assignments (workspace_id, label_id, target_kind, target_id)
   select $1, l.id, 'task', made.id from (
     select id, 1 as label from made union select id, 1 + n % 400 from made
   ) made join label_definitions l on l.workspace_id = $1 and l.project_id is null and l.name = 'Label ' || made.label`,
  `insert into label_overrides (workspace_id, project_id, label_id, name, hidden)
   select $1, made.id, l.id, 'Other', n % 2 = 0 from made, label_definitions l
   where l.workspace_id = $1 and l.project_id is null and l.name = 'Label 2'
   union all select $1, $6, id, 'Shown ' || name, false from label_definitions
   where workspace_id = $1 and project_id is null and name < 'Label 16'`,
  `insert into task_assignments (workspace_id, id, task_id, actor_id, assigned_by_actor_id) select $1, id, id, $3, $3
    from made`,
  `insert into task_assignments (workspace_id, id, task_id, actor_id, assigned_by_actor_id, assigned_at, closed_at)
   select $1, uuidv7(), $7, id, $3, now() - n * interval '1 s', now() from made`,
  `insert into task_description_revisions (workspace_id, task_id, revision, description_markdown, replaced_by_actor_id)
   select $1, $7, n + 1000000, 'Text ' || n, $3 from made`,
  "insert into task_codes (workspace_id, project_id, number, task_id) select $1, id, 1, $7 from made",
  `insert into comments (workspace_id, id, task_id, author_actor_id, markdown, created_at)
   select $1, id, $7, $3, 'Comment ' || n, now() + n * interval '1 ms' from made`,
  `select index_search_of(array(select (workspace_id, id)::search_source from tasks where workspace_id = $1),
    array(select (workspace_id, id)::search_source from comments where workspace_id = $1))`,
  "select events_read('search', now() + interval '1 minute')",
  `insert into comment_reactions (workspace_id, comment_id, reaction, actor_id)
   select $1, id, reaction, $3 from made, unnest(array['heart', 'tada']) reaction`,
  // A third in the Project, a third in none, the others in a Project each; a sixth below the first. Every ninth is in
  // the trash.
  `insert into documents (workspace_id, id, project_id, parent_id, depth, title, slug, path, position,
   created_by_actor_id, archived_at, trashed_at, trashed_with_id, updated_at)
   select $1, id, case n % 3 when 0 then $6 when 2 then id end,
     case when n % 6 = 4 then (select id from made where n = 1) end, 1 + (n % 6 = 4)::int,
     'Document ' || n, 'document-' || n, 'document-' || n, n, $3, case n % 7 when 0 then now() end,
     case n % 9 when 0 then now() - n * interval '1 s' end,
     case n % 9 when 0 then id end, now() - n * interval '1 minute' from made`,
  `insert into document_former_paths (workspace_id, path, document_id, left_at)
    select $1, 'left', id, now() - n * interval '1 s' from made union all select $1, 'left-' || n, id, now() from made`,
  `insert into document_revisions (workspace_id, document_id, revision, content, markdown, text, reason,
   author_actor_ids, size)
   select $1, id, 1, '{"type": "doc", "content": [{"type": "paragraph"}]}'::jsonb, '', '', 'write', array[$3], 0
   from made
   union all select $1, (select id from made where n = 1), n + 1,
     '{"type": "doc", "content": [{"type": "paragraph"}]}'::jsonb, '', '', 'write', array[$3], 0 from made`,
  `insert into document_links (workspace_id, document_id, target_kind, target_id, origin, created_by_actor_id)
   select $1, id, 'task', $7, 'manual', $3 from made
   union all select $1, (select id from made where n = 1), 'task', id, 'content', $3 from made
   union all select $1, id, 'document', (select id from made where n = 1), 'content', $3 from made
   union all select $1, id, 'milestone', $9, 'content', $3 from made
   union all select $1, id, 'person', $3, 'content', $3 from made`,
  `insert into document_mentions (workspace_id, document_id, actor_id) select $1, id, $5 from made
    union all select $1, (select id from made where n = 1), id from made`,
  `select index_search_documents_of(array(select (workspace_id, id)::search_source from documents
    where workspace_id = $1))`,
  `insert into attachments (workspace_id, id, state, filename, content_type, size, sha256, scan_state,
   uploaded_by_actor_id, expires_at, completed_at, attached_at, task_id, task_project_id, project_id, document_id)
   select $1, uuidv7(), 'stored', 'File ' || n, 'text/plain', n, sha256(n::text::bytea), 'clean', $3, now(), now(),
     now() - n * interval '1 minute',
     case place when 0 then made.id when 1 then $7 end, case when place < 2 then $6 end, case place when 2 then $6 end,
     case place when 3 then (select id from made where n = 1) end
   from made, generate_series(0, 3) place`,
  `insert into time_entries (workspace_id, id, task_id, project_id, actor_id, work_date, recorded_seconds,
   rounding_mode, seconds)
   select $1, id, case n % 40 when 0 then $7 else id end, $6, case n % 4 when 0 then $3 when 1 then $5 else id end,
     date '2020-01-01' + n % 2000, 3600, 'exact', 3600 from made`,
  "insert into time_reports (workspace_id, subject_id) select $1, id from made",
  `insert into task_relations (workspace_id, id, kind, from_task_id, to_task_id, created_by_actor_id)
   select $1, id, 'relates_to', $7, id, $3 from made union all select $1, uuidv7(), 'blocks', id, $7, $3 from made`,
  `insert into task_subscriptions (workspace_id, task_id, actor_id, follows, muted)
   select $1, id, $5, true, false from made union all select $1, $7, id, true, false from made
   union all select $1, id, $3, null, true from made where n % 2 = 0`,
  "insert into current_work (workspace_id, actor_id, task_id, since) select $1, id, $7, now() from made",
  `insert into suggestion_feedback (workspace_id, actor_id, task_id, kind, subject_id, verdict)
   select $1, $3, id, 'current_work', id, case n % 3 when 0 then 'dismissed' else 'helpful' end from made
   union all select $1, id, $7, 'related_task', id, 'dismissed' from made`,
  `insert into evidence_collections (workspace_id, id, version, actor_id, sources, expires_at)
   select $1, id, 1, case n % 50 when 0 then $3 else id end, '[]', now() + n * interval '1 minute' from made`,
  `insert into task_result_sets (workspace_id, id, version, actor_id, query, task_ids, revisions, complete, expires_at)
   select $1, id, 1, case n % 50 when 0 then $3 else id end, '{}', array[id], array[1], true,
     now() + n * interval '1 minute' from made`,
  `insert into task_selections (workspace_id, id, actor_id, result_set_id, version, task_ids, revisions, expires_at)
   select $1, id, case n % 50 when 0 then $3 else id end, id, 1, array[id], array[1], now() + n * interval '1 minute'
   from made`,
  `insert into task_saved_views (workspace_id, id, actor_id, name, query, layout)
   select $1, id, case n % 400 when 0 then $3 when 1 then $5 else id end, 'View', '{}',
     '{"kind": "list", "group_by": "none", "columns": []}' from made`,
  `insert into discuss_preferences (workspace_id, actor_id, timezone, follow_account_timezone, opt_in)
    select $1, id, 'UTC', true, false from made`,
  `insert into discuss_reminders (workspace_id, id, actor_id, text, due_at, state, updated_at)
   select $1, id, case n % 50 when 0 then $3 when 1 then $5 else id end, 'Reminder ' || n,
     now() + n * interval '1 hour',
     (array['scheduled', 'delivered', 'completed', 'cancelled'])[1 + n / 50 % 4], now() - n * interval '1 minute'
       from made`,
  `insert into attachments (workspace_id, id, state, filename, content_type, size, sha256, scan_state,
   uploaded_by_actor_id, expires_at, completed_at, private)
   select $1, uuidv7(), 'stored', 'File ' || n, 'text/plain', n, sha256(n::text::bytea), 'clean',
     case n % 200 when 0 then $3 else id end, now(), now(), true from made`,
  `insert into discuss_streams (workspace_id, actor_id, sequence, change_sequence) select $1, id, 1, 1 from made
    union all select $1, unnest(array[$3, $5]), 100000, 100000`,
  `insert into discuss_messages (workspace_id, id, actor_id, sequence, change_sequence, created_change, turn_id, role,
   content, run_id, generation_state)
   select $1, uuidv7(), case n % 2 when 0 then $3 else $5 end, n, n, n, id, 'assistant', 'Said ' || n, id, 'completed'
   from made
   union all select $1, uuidv7(), id, 1, 1, 1, id, 'assistant', 'Said', uuidv7(), 'queued' from made`,
  `insert into discuss_runs (workspace_id, id, actor_id, message_id, sequence, state, credential_id, credential_kind,
   input, created_at)
   select $1, id, case n % 2 when 0 then $3 else $5 end, id, n, 'completed', id, 'session',
     '{"kind": "turn", "metadata": []}', now() - interval '1 day' from made`,
  `insert into discuss_steps (workspace_id, run_id, number, kind, asked, created_at)
    select $1, id, 1, 'model', 'sealed', now() - n * interval '1 minute' from made`,
  "insert into discuss_run_events (workspace_id, run_id, sequence, type) select $1, id, 1, 'started' from made",
  // Each fiftieth is the owner's. Half of the ChangeSets have expired, a third were decided on, and some of those
  // applied.
  `insert into document_patches (workspace_id, id, document_id, actor_id, version)
    select $1, id, id, case n % 50 when 0 then $3 else id end, 1 from made`,
  `insert into document_patch_versions (workspace_id, patch_id, version, base_revision, edits, content, markdown, text,
   blocks, markdown_diff, created_at)
   select $1, id, 1, 1, '[]', '{"type": "doc", "content": [{"type": "paragraph"}]}', '', '', '[]', '',
     now() - n * interval '1 minute' from made`,
  `insert into change_sets (workspace_id, id, initiator_actor_id, version)
    select $1, id, case n % 50 when 0 then $3 else id end, 1 from made`,
  `insert into change_set_versions (workspace_id, change_set_id, version, digest, title, changes, outcomes, evidence,
   refused, created_at, expires_at)
   select $1, id, 1, sha256(n::text::bytea), 'Tidy up', '[{}]', '[]', '[]', n % 7 = 0, now() - n * interval '1 minute',
     now() + (10000 - n) * interval '1 minute' from made`,
  `insert into change_set_reviews (workspace_id, change_set_id, version, decision, digest, actor_id, credential_id)
   select $1, id, 1, case n % 9 when 0 then 'reject' else 'approve' end, sha256(n::text::bytea),
     case n % 50 when 0 then $3 else id end, uuidv7() from made where n % 3 = 0`,
  `insert into change_set_applications (workspace_id, change_set_id, version, digest, command_id, created_at)
   select $1, id, 1, sha256(n::text::bytea), id, now() - n * interval '1 minute' from made
   where n % 6 = 0 and n % 9 > 0`,
  `insert into knowledge_repositories (workspace_id, state, connection_id, url, branch, folder, direction,
   connected_by_actor_id)
   values ($1, 'active', uuidv7(), 'https://git.example.com/a.git', 'main', '', 'both', $3)`,
  `insert into repository_runs (workspace_id, id, kind, state, finished_at) select $1, id, 'sync', 'succeeded', now()
    from made`,
  `insert into repository_conflicts (workspace_id, id, document_id, kind, path, ours)
    select $1, id, id, 'removal', n || '.md', 'Text' from made`,
  `insert into repository_files (workspace_id, document_id, path, oid, base, marked, revision, content_revision)
   select $1, id, n || '.md', 'oid', 'Text', true, 1, 1 from made`,
  `insert into task_mentions (workspace_id, task_id, actor_id, sources) select $1, id, $5, array[id] from made
    union all select $1, $7, id, array[$7] from made`,
  `insert into inbox_items (workspace_id, id, actor_id, category, task_id, event_type, count, newest_at, gathering,
   listed, mail_due, read_at, archived_at)
   select $1, uuidv7(), who, case n % 2 when 0 then 'assigned' else 'commented' end, made.id, 'task.assigned', 1,
     now() - n * interval '1 minute', false, true, false,
     case n % 3 when 0 then now() end, case n % 5 when 0 then now() end
   from made, unnest(array[$3, $5]) who`,
  `insert into inbox_items (workspace_id, id, actor_id, category, document_id, event_type, count, newest_at, listed,
   mail_due)
   select $1, uuidv7(), who, 'mentioned', made.id, 'document.created', 1, now() - n * interval '1 minute', true, false
   from made, unnest(array[$3, $5]) who`,
  `insert into member_names (workspace_id, actor_id, part, name)
   select $1, id, 0, 'person-' || n from made union all select $1, id, 1, 'person ' || n from made
   union all select $1, id, 2, n::text from made`,
  `insert into idempotency_keys (workspace_id, principal_id, operation, key_hash, fingerprint, status, body, command_id)
   select $1, $3, 'createTask', decode(md5(n::text), 'hex'), '', 201, '', id from made`,
  `insert into audit_log (workspace_id, id, operation, user_id, actor_id, correlation_id)
   select $1, id, 'createTask', $2, $3, n::text from made`,
  `insert into command_steps (workspace_id, root_id, step, command_id, undoes_id) select $1, id, 1, uuidv7(), id
    from made`,
  `insert into domain_events (workspace_id, id, type, activity, actor_id, source, command_id, project_id, task_id,
   resource_kind, resource_id, occurred_at)
   select $1, id, 'task.created', case n % 2 when 0 then 'progress' end, $3, 'session', id, $6, id, 'task', id,
     now() - n * interval '3 minutes' from all_made`,
  `insert into domain_events (workspace_id, id, type, activity, actor_id, source, command_id, project_id, task_id,
   resource_kind, resource_id, occurred_at)
   select $1, uuidv7(), 'task.priority_changed', 'priority', $3, 'session', id, $6, $7, 'task', $7,
     now() - n * interval '3 minutes' from made`,
  `insert into domain_events (workspace_id, id, type, activity, actor_id, source, command_id, project_id, resource_kind,
   resource_id, payload, occurred_at)
   select $1, uuidv7(), 'document.created', 'document', $3, 'session', id, case n % 3 when 0 then $6 end, 'document',
     id, '{"title": "Document"}'::jsonb,
     now() - n * interval '3 minutes' from made`,
];

// Made anew when the rows are there: a third of the time that it takes with them.
const INDEXES = `
select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made from pg_index i
join pg_class c on c.oid = i.indrelid
where c.relnamespace = 'public'::regnamespace and not i.indisunique`;

export async function loadManyRows(databaseUrl: string, around: Around): Promise<void> {
  const { workspaceId, userId, actorId, readerUserId, readerActorId, projectId, taskId, statusId, milestoneId } =
    around;
  const values = [workspaceId, userId, actorId, readerUserId, readerActorId, projectId, taskId, statusId, milestoneId];
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    // The rows are right by construction: checking 300,000 foreign keys would take most of the time.
    await client.query("set session_replication_role = replica");
    await client.query(`
      create table all_made as select n, uuidv7() as id from generate_series(1, ${TASKS}) n;
      create table made as select * from all_made where n <= ${ROWS}; analyze made`);
    const { rows: indexes } = await client.query<{ name: string; made: string }>(INDEXES);
    await client.query(`drop index ${indexes.map(({ name }) => name).join(", ")}`);
    for (const sql of statements) {
      const text = sql.replace(/\$(\d)/g, (_, index) => `${client.escapeLiteral(values[index - 1] as string)}::uuid`);
      await client.query(text);
    }
    await client.query("drop table made, all_made");
    for (const { made } of indexes) await client.query(made);
    // The planner chooses by statistics, which autovacuum would gather a minute later.
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}
