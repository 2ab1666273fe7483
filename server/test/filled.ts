// Fills a database with a few rows in every table: through the service wherever an operation writes one, and by SQL
// where only time, a provider or a device would. What `npm run release` keeps of a version comes from here; a new table
// needs a line in one of the two lists.
import type { AnyOperation } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { indexSearch } from "../src/knowledge/search/jobs.ts";
import { sealAudit } from "../src/platform/background/audit-seals.ts";
import { fixtures, makers } from "./fixtures.ts";
import { attempt, ready, stageOn } from "./stage.ts";
import { type TestService, testKeys } from "./world.ts";

/** Each writes into a table that making the things of the paths leaves empty. */
const CALLS = [
  "requestPasswordReset",
  "setUpTotp",
  "createPasskeyLoginOptions",
  "replaceBrowserPushEndpoint",
  "updateWorkspaceSettings",
  "replaceAiAccessPolicy",
  "updateKnowledgeSettings",
  "connectKnowledgeRepository",
  "syncKnowledgeRepository",
  "replaceCompletionPolicy",
  "replaceProjectShortcuts",
  "replaceProjectDisplayPreferences",
  "updateNotificationPreference",
  "followTask",
  "setCurrentWork",
  "giveSuggestionFeedback",
  "moveTask",
  "addReaction",
  "updateComment",
  "replaceLabelOverride",
  "replaceTargetLabels",
  "updateTimeTracking",
  "undoCommand",
  "draftDocumentPatch",
  "applyChangeSet",
  "updateDocument",
  "openTaskSession",
  "captureEvidence",
  "captureTaskResultSet",
  "createTaskSelection",
  "saveTaskView",
  "updateDiscussPreferences",
  "createReminder",
  "postDiscussMessage",
  "decideDiscussInteraction",
  "createAgentRequest",
  "createWebhookEndpoint",
  "testWebhookEndpoint",
];

const ROWS = [
  "insert into recovery_codes (user_id, code_hash) select id, sha256('a recovery code') from users limit 1",
  `insert into sign_in_challenges (id, user_id, token_hash, family, password_mark, remembered, expires_at)
   select gen_random_uuid(), id, sha256('a challenge'), 'browser', sha256('a mark'), true, now() + interval '5 minutes'
   from users limit 1`,
  `insert into provider_requests (state_hash, provider, sealed, expires_at)
    values (sha256('a state'), 'google', 'sealed', now() + interval '5 minutes')`,
  "insert into processes (id, server, workers) values (1, now(), '{worker-of-this-process}')",
  "insert into attempt_limits (key, full_at) values (sha256('a subject'), now() + interval '1 hour')",
  `insert into told_events (workspace_id, id, occurred_at) select workspace_id, id, occurred_at from domain_events
    limit 1`,
  `insert into due_notices (workspace_id, task_id, actor_id, due_date)
    select workspace_id, id, created_by_actor_id, current_date from tasks limit 1`,
  "insert into inbox_digests (workspace_id, actor_id, sent_at) select workspace_id, id, now() from actors limit 1",
  "insert into search_sweep (after_workspace, after_word) select id, 'word' from workspaces limit 1",
  `insert into task_mentions (workspace_id, task_id, actor_id, sources)
    select workspace_id, id, created_by_actor_id, array[id] from tasks limit 1`,
  `insert into document_mentions (workspace_id, document_id, actor_id) select workspace_id, id, created_by_actor_id
    from documents limit 1`,
  `insert into task_assignments (workspace_id, id, task_id, actor_id, assigned_by_actor_id)
   select workspace_id, gen_random_uuid(), id, created_by_actor_id, created_by_actor_id from tasks limit 1`,
  `insert into task_description_revisions (workspace_id, task_id, revision, description_markdown, replaced_by_actor_id)
   select workspace_id, id, 1, 'Before', created_by_actor_id from tasks limit 1`,
  `insert into document_links (workspace_id, document_id, target_kind, target_id, origin, created_by_actor_id)
   select workspace_id, id, 'document', id, 'manual', created_by_actor_id from documents limit 1`,
  `insert into collaboration_updates (workspace_id, target_id, seq, data, actor_ids)
    select workspace_id, target_id, 1, 'x', '{}' from collaboration_texts limit 1`,
  `insert into repository_files (workspace_id, document_id, path, oid, base, marked, revision, content_revision)
   select k.workspace_id, d.id, 'notes.md', 'oid', '', true, 1, 1 from knowledge_repositories k, documents d limit 1`,
  `insert into repository_conflicts (workspace_id, id, document_id, kind, path)
   select workspace_id, gen_random_uuid(), document_id, 'content', path from repository_files limit 1`,
  `insert into repository_attachments (workspace_id, document_id, attachment_id, path, oid)
   select workspace_id, document_id, document_id, 'a.png', 'oid' from repository_files limit 1`,
  "insert into knowledge_places (workspace_id, place_id) select workspace_id, id from projects limit 1",
  `insert into knowledge_passages (workspace_id, place_id, kind, source_id, start_at, end_at, text, terms, version)
   select k.workspace_id, k.place_id, 'task_title', t.id, 0, 4, 'Word', decode('00000000', 'hex'), k.version
   from knowledge_places k, tasks t where t.workspace_id = k.workspace_id limit 1`,
  `insert into knowledge_gone (workspace_id, place_id, source_id) select workspace_id, place_id, place_id
    from knowledge_places`,
  "insert into knowledge_credits (workspace_id, balance) select id, 7 from workspaces limit 1",
  `insert into knowledge_credit_entries (workspace_id, id, state, reserved)
    select workspace_id, gen_random_uuid(), 'reserved', 2 from knowledge_credits`,
  `insert into billing_plans (key, sold_by, sold, members, storage, agents, features)
    values ('free', 'stripe', false, 10, 1024, 1, '{}')`,
  `insert into billing_deliveries (provider, event_ref, kind, subject_ref)
    values ('stripe', 'evt_1', 'invoice.paid', 'sub_1')`,
  `insert into billing_accounts (workspace_id, checkout_id, customer_ref, subscription_ref, seats, standing)
   select workspace_id, id, 'cus_1', 'sub_1', 3, 'paid' from billing_checkouts where workspace_id is not null limit 1`,
  `insert into billing_invoices (workspace_id, ref, amount, currency, state, url, issued_at)
   select workspace_id, 'in_1', 2400, 'eur', 'paid', 'https://invoice.example.com/1', now() from billing_accounts`,
  `insert into knowledge_credit_top_ups (workspace_id, id, credits) select workspace_id, gen_random_uuid(), 7
    from knowledge_credits`,
  "insert into knowledge_due (workspace_id, kind, id) select workspace_id, 'task', id from tasks limit 1",
  `insert into discuss_steps (workspace_id, run_id, number, kind, asked) select workspace_id, id, 1, 'model', 'sealed'
    from discuss_runs limit 1`,
  `insert into discuss_run_events (workspace_id, run_id, sequence, type) select workspace_id, id, 1, 'started'
    from discuss_runs limit 1`,
  `insert into agent_usage (workspace_id, definition_id, day) select workspace_id, id, current_date
    from agent_definitions`,
  `insert into agent_steps (workspace_id, run_id, number, kind, asked) select workspace_id, id, 1, 'model', 'sealed'
    from agent_runs limit 1`,
  `insert into agent_outputs (workspace_id, id, run_id, number, kind, text)
    select workspace_id, gen_random_uuid(), id, 1, 'text', 'Said' from agent_runs limit 1`,
  `insert into integration_requests (workspace_id, id, provider_key, note, requested_by_actor_id)
   select workspace_id, gen_random_uuid(), 'github', 'Please', installed_by_actor_id from integration_installations
   limit 1`,
  `insert into integration_deliveries (workspace_id, id, installation_id, delivery_key, lane, kind, body)
   select workspace_id, gen_random_uuid(), id, 'one', 'endpoint', 'message', '{}' from integration_installations
   limit 1`,
  `insert into rich_entities (workspace_id, id, task_id, installation_id, provider_key, kind, external_id, title, url,
   state)
   select i.workspace_id, gen_random_uuid(), t.id, i.id, i.provider_key, 'delivery', 'one', 'One',
     'https://example.com/', 'open'
   from integration_installations i join tasks t on t.workspace_id = i.workspace_id limit 1`,
  `insert into integration_comments (workspace_id, installation_id, external_id, comment_id)
   select i.workspace_id, i.id, 'one', c.id from integration_installations i
   join comments c on c.workspace_id = i.workspace_id limit 1`,
  `insert into integration_actions (workspace_id, id, installation_id, resource_id, action)
   select workspace_id, gen_random_uuid(), installation_id, id, 'comment' from integration_resources limit 1`,
  `insert into integration_identities (id, user_id, provider_key, external_id, name)
    select gen_random_uuid(), id, 'github', '1', 'octo' from users limit 1`,
  // One answer is enough: they are most of the bytes.
  "delete from idempotency_keys where key_hash <> (select min(key_hash) from idempotency_keys)",
  "update audit_log set occurred_at = now() - interval '1 hour'",
];

export async function fill(running: TestService): Promise<void> {
  const stage = await stageOn(running, [...operations.values()], fixtures);
  try {
    for (const parameter of Object.keys(makers)) await stage.home.shared(parameter);
    for (const id of CALLS) {
      const operation = operations.get(id) as AnyOperation;
      const { status, text } = await attempt(stage, operation, await ready(stage, operation, true));
      if (status >= 300) throw new Error(`${id} answered ${status} ${text}`);
    }
    await indexSearch(running.database);
    for (const sql of ROWS) await stage.admin.query(sql);
    await sealAudit(stage.admin, testKeys, { get: async () => undefined, put: async () => {} }, 1000);
  } finally {
    await stage.admin.end();
  }
}
