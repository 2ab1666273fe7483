-- Comments on every table and function: what a row is, when it is written and when it is deleted; what a function
-- returns or does, and why it is a function. `npm run schema` prints them. Only the catalogue changes.
-- COMMENT acquires a SHARE UPDATE EXCLUSIVE lock on each table until the commit. This lock blocks other DDL and VACUUM,
-- but no reads or writes, and these do not queue behind a waiting COMMENT. It may therefore wait longer than the usual
-- 250 ms, until PostgreSQL cancels an autovacuum that holds the lock (after deadlock_timeout).
set local lock_timeout = '3s';

comment on table actors is 'Each row is an author of changes in a Workspace: a member, a service credential, an '
  'integration or an Agent. Rows are never deleted.';
comment on table agent_actions is 'Each row is a change that an Agent run proposes. The run inserts it before it acts, '
  'and the row records approval, refusal and result.';
comment on table agent_definitions is 'Each row is an Agent definition, made in the studio or copied from a curated '
  'one. Retired definitions remain.';
comment on table agent_outputs is 'Each row is a text or Document draft that an Agent run returns. The run inserts it '
  'with its result.';
comment on table agent_requests is 'Each row is a member''s request to publish, access or change an Agent definition. '
  'A decision approves or rejects it; rows remain.';
comment on table agent_runs is 'Each row is a run of an Agent with its trigger, initiator, lease and token counts. '
  'Finished runs remain.';
comment on table agent_steps is 'Each row is a model or tool call of an Agent run, sealed and inserted before the '
  'call. A sweep deletes it after seven days.';
comment on table agent_usage is 'Each row counts runs, tokens and cost of an Agent definition on a UTC day. Runs '
  'increment it; rows remain.';
comment on table agent_versions is 'Each row is a version of an Agent definition: instructions, tools, triggers and '
  'budgets. Published versions never change.';
comment on table agents is 'Each row is an Agent that a Workspace enabled, with its state, Project limits and budgets. '
  'Deletion sets deleted_at, so that actions retain its name.';
comment on table ai_access_policies is 'Each row records whether a Workspace allows external AI clients. '
  'Authentication reads it without row-level security; without a row access is allowed.';
comment on table attachments is 'Each row is an uploaded file, from reservation to deletion. A sweep deletes the row '
  'after its stored objects and upload URLs are gone.';
comment on table attempt_limits is 'Each row is a rate limit bucket that protects accounts across all processes, keyed '
  'by a hash. A sweep deletes buckets that are full again.';
comment on table audit_log is 'Each row records an operation that changed data and its caller. The transaction of the '
  'change inserts it; pruning deletes sealed rows after AUDIT_RETENTION_DAYS.';
comment on table audit_seals is 'Each row seals a span of audit rows and the previous seal with a MAC, so that '
  'tampering shows. Pruning deletes seals before its checkpoint.';
comment on table billing_accounts is 'Each row is the subscription of a Workspace as the billing provider last '
  'reported it. Settling a payment upserts it; rows remain.';
comment on table billing_checkouts is 'Each row is a checkout at the billing provider and links its events to a '
  'Workspace. The state records completion or expiry; rows remain.';
comment on table billing_deliveries is 'Each row is an event received from the billing provider, so that duplicates '
  'are ignored. A sweep deletes it after 90 days.';
comment on table billing_invoices is 'Each row is an invoice of a Workspace as the billing provider last reported it. '
  'Settling upserts it; rows remain.';
comment on table billing_plans is 'Each row holds the limits and features of a plan. Each start replaces the rows; the '
  'table is empty without a billing provider.';
comment on table change_set_applications is 'Each row records that a ChangeSet was applied, only with an approved '
  'digest. A sweep deletes it with its ChangeSet after 90 days.';
comment on table change_set_reviews is 'Each row is a decision on the digest of a ChangeSet version. Only '
  'review_change_set inserts rows; the sweep deletes them with the ChangeSet.';
comment on table change_set_versions is 'Each row is an immutable version of a ChangeSet with its changes and the '
  'outcomes of a trial. The sweep deletes it with the ChangeSet.';
comment on table change_sets is 'Each row is a set of changes that its initiator reviews and applies at once. A sweep '
  'deletes it after expiry or application.';
comment on table collaboration_sessions is 'Each row is a token that opens a collaboration socket for an Actor. A '
  'sweep deletes it seven days after expiry.';
comment on table collaboration_texts is 'Each row is the Yjs state of a Task description or Document, inserted at '
  'first editing. It is deleted with its target.';
comment on table collaboration_updates is 'Each row is an acknowledged Yjs update after the last checkpoint. A '
  'checkpoint deletes the updates that it covers.';
comment on table command_steps is 'Each row is an undo or redo in the chain of a command. The first step undoes the '
  'root; rows remain.';
comment on table comment_reactions is 'Each row is a reaction of an Actor to a Comment. Its removal or the deletion of '
  'the Comment deletes it.';
comment on table comment_revisions is 'Each row is a text that an edit of a Comment replaced. Deleting the Comment '
  'deletes its revisions.';
comment on table comments is 'Each row is a Comment on a Task. Deletion blanks the text and retains a tombstone; the '
  'row is deleted with the Task.';
comment on table credentials is 'Each row is a session or token, found by the hash of its secret. A sweep deletes it '
  '30 days after expiry.';
comment on table current_work is 'Each row is the Task that a member declared as current work. Clearing it retains the '
  'row, so that its revision never decreases.';
comment on table discuss_interactions is 'Each row is a question of a Discuss run to its member, such as an approval, '
  'with the decision. It is deleted with the conversation.';
comment on table discuss_messages is 'Each row is a message of a member or the assistant in a private Discuss '
  'conversation. It is deleted with the conversation.';
comment on table discuss_preferences is 'Each row holds Discuss settings of a member, such as the time zone. It is '
  'deleted when the membership ends.';
comment on table discuss_reminders is 'Each row is a reminder of a member. A sweep deletes it 90 days after completion '
  'or cancellation, or when the membership ends.';
comment on table discuss_run_events is 'Each row is a progress event of a Discuss run, in sequence. It is deleted with '
  'its run.';
comment on table discuss_runs is 'Each row is a run that generates an answer in Discuss, under a lease with a fence. '
  'It is deleted with the conversation.';
comment on table discuss_steps is 'Each row is a model or tool call of a Discuss run, sealed and inserted before the '
  'call. A sweep deletes it after seven days.';
comment on table discuss_streams is 'Each row is the Discuss conversation of a member and counts its messages and '
  'changes. The end of the membership deletes it.';
comment on table document_former_paths is 'Each row is a path that a Document had before a rename or move, so that old '
  'paths resolve. It is deleted with the Document.';
comment on table document_links is 'Each row links a Document to a target, by hand or by a mention in its content. '
  'Unlinking or deletion of either end deletes it.';
comment on table document_mentions is 'Each row is a member whom a Document ever mentioned, for one notification. The '
  'inbox job inserts it; it is deleted with the Document.';
comment on table document_patch_versions is 'Each row is an immutable version of a Document patch: edits, resulting '
  'content and diff. It is deleted with its patch.';
comment on table document_patches is 'Each row is a private draft of changes to a Document. A sweep deletes it 90 days '
  'after its newest version.';
comment on table document_revisions is 'Each row is an immutable revision of the content of a Document. It is deleted '
  'with the Document.';
comment on table documents is 'Each row is a Document in the tree of a Workspace or Project. Permanent deletion from '
  'the trash, or erasure of the Project, deletes it.';
comment on table domain_events is 'Each row is a domain event, inserted in the transaction of its change. Pruning '
  'deletes it after EVENT_RETENTION_DAYS, once search and inbox read it.';
comment on table due_notices is 'Each row is a due date of a Task of which its assignee was reminded. A sweep deletes '
  'it 30 days after that date.';
comment on table email_links is 'Each row is the latest link of its kind that was mailed to an account; a new link '
  'replaces it. A sweep deletes expired links.';
comment on table event_readers is 'Each row is the time up to which a follower, such as search or inbox, has read '
  'domain events. The follower advances it.';
comment on table evidence_collections is 'Each row is an immutable version of passages that a member captured, without '
  'their text. A sweep deletes it after 30 days.';
comment on table free_claims is 'Each row is the one active Free Workspace that an account claims. Triggers move or '
  'delete the claim when ownership, plan or archiving changes.';
comment on table idempotency_keys is 'Each row stores the response of a write under its Idempotency-Key, in the same '
  'transaction. A sweep deletes most keys after 24 hours.';
comment on table identities is 'Each row links an account to a subject at an identity provider. Unlinking deletes it.';
comment on table inbox_digests is 'Each row is the time when a member last received a digest email of a Workspace. '
  'Sending a digest upserts it.';
comment on table inbox_items is 'Each row is a notification in the inbox of an Actor; similar events increment it. A '
  'sweep deletes it 90 days after reading or archiving.';
comment on table integration_actions is 'Each row is a call to a provider, requested by a person or caused by an '
  'event. A sweep deletes it after 90 days.';
comment on table integration_bindings is 'Each row binds a resource of a provider to a Project with its rules. '
  'Unbinding or removing the installation deletes it.';
comment on table integration_comments is 'Each row pairs a Comment with its copy at the provider, so that neither copy '
  'is imported again. It is deleted with the Comment.';
comment on table integration_deliveries is 'Each row is a webhook delivery from a provider, processed in order per '
  'lane. A sweep deletes processed deliveries after 90 days.';
comment on table integration_identities is 'Each row links an account to its user at an integration provider, after a '
  'round trip through the provider. Unlinking deletes it.';
comment on table integration_installations is 'Each row connects a Workspace to an account at a provider, with sealed '
  'credentials. Removal sets removed_at and later clears the secrets.';
comment on table integration_requests is 'Each row is a member''s request to connect a provider. Connecting the '
  'provider closes it, or an admin declines it; rows remain.';
comment on table integration_resources is 'Each row is a repository, channel or other resource that an installation '
  'lists. Resources that the provider no longer lists remain, unlisted.';
comment on table integration_subscriptions is 'Each row selects the event kinds that a binding sends to the provider. '
  'It is deleted with the binding.';
comment on table invitations is 'Each row is an invitation of an email address to a Workspace. Revoking or a sweep '
  'clears its token hashes; rows remain.';
comment on table journal is 'One row holds the epoch of the journal. Accepting a restored database renews it, so that '
  'older positions become invalid.';
comment on table journal_marks is 'Each row marks a journal position, to prove that a copy of the database has the '
  'same history. A sweep deletes it after four days.';
comment on table knowledge_credit_entries is 'Each row is a reservation of credits for a model answer, settled or '
  'released once. Rows remain.';
comment on table knowledge_credit_top_ups is 'Each row is a paid purchase of credits, added once to the balance and '
  'reduced by refunds. Rows remain.';
comment on table knowledge_credits is 'Each row is the credit balance of a Workspace, without reserved credits. '
  'Top-ups increase it and reservations decrease it.';
comment on table knowledge_due is 'Each row is a source that the Knowledge index must read again. The indexing worker '
  'deletes it after reading.';
comment on table knowledge_gone is 'Each row is a source removed from a Knowledge place, so that processes drop its '
  'cached passages. It is deleted an hour later.';
comment on table knowledge_passages is 'Each row is a passage of a text with its embedding in the Knowledge index. A '
  'change of the source deletes it at commit.';
comment on table knowledge_places is 'Each row is a Project, or a Workspace, whose sources the Knowledge index '
  'contains. settle_knowledge inserts and deletes rows as the settings require.';
comment on table knowledge_repositories is 'Each row is the Git connection of a Workspace for its Documents, with the '
  'state of synchronization. Disconnecting changes the state; the row remains.';
comment on table knowledge_settings is 'Each row selects the Projects that Knowledge indexes in a Workspace. An admin '
  'upserts it; without a row the defaults apply.';
comment on table label_assignments is 'Each row is a label of a Task, Project or Document, derived from its label_ids. '
  'Triggers insert and delete it.';
comment on table label_definitions is 'Each row is a label of a Workspace or Project. Deletion sets deleted_at, and '
  'erasure of its Project deletes the row.';
comment on table label_overrides is 'Each row is the name, color or visibility that a Project gives a Workspace label. '
  'A reset or deletion of the label deletes it.';
comment on table lifecycle_definitions is 'Each row is the lifecycle of one kind of entity in a Workspace: Tasks, '
  'Projects or Milestones. Creating the Workspace inserts it.';
comment on table lifecycle_migrations is 'Each row is a background move of everything from some Statuses or states '
  'into others, with its progress. Rows remain.';
comment on table lifecycle_stages is 'Each row is a stage of a lifecycle with its category and behaviors. Only stages '
  'of the Milestone lifecycle can be removed.';
comment on table mail_outbox is 'Each row is an email: sealed for the development mailbox, or only its id after SMTP '
  'accepted it. A sweep deletes it after 30 days.';
comment on table member_names is 'Each row is a searchable part of the name of an active member or Agent. Triggers '
  'update it when the name or membership changes.';
comment on table memberships is 'Each row is the membership of an account in a Workspace with role and state. The row '
  'remains when the membership ends.';
comment on table migrations is 'Each row is a migration applied to this database, with its hash and release. migrate() '
  'inserts it and rows remain.';
comment on table milestones is 'Each row is a Milestone of a Project; its number is never reused. Deletion sets '
  'deleted_at, and erasure of the Project deletes the row.';
comment on table notification_preferences is 'Each row holds the channels of a notification category for a member of a '
  'Workspace. Without a row the defaults apply.';
comment on table oauth_clients is 'Each row is an OAuth client, registered dynamically or by the operator. A sweep '
  'deletes dynamic clients without grants after 30 days.';
comment on table oauth_codes is 'Each row is an authorization code with its PKCE challenge. A sweep deletes it one day '
  'after expiry.';
comment on table oauth_grants is 'Each row is the consent of an account to an OAuth client. A sweep deletes it 90 days '
  'after its last change, without tokens.';
comment on table oauth_refresh_tokens is 'Each row is the hash of a refresh token of a grant; each use rotates it. A '
  'sweep deletes it one day after expiry.';
comment on table passkey_ceremonies is 'Each row is a WebAuthn challenge for registration, sign-in or '
  'reauthentication. A sweep deletes it one day after expiry.';
comment on table passkeys is 'Each row is a passkey of an account. A decreasing signature counter disables it; its '
  'owner deletes it.';
comment on table private_changes is 'Each row is a change of an inbox or account for its owner, inserted by triggers. '
  'A sweep deletes it after seven days.';
comment on table processes is 'Each row is a process that runs background work and holds an advisory lock. Releasing '
  'the leases of a lost process deletes it.';
comment on table project_completion_policies is 'Each row selects the active, review and done Statuses of a Project. '
  'Without a row no review is required; erasure of the Project deletes it.';
comment on table project_display_preferences is 'Each row holds how a member displays the Project list of a Workspace. '
  'Its owner upserts it; rows remain.';
comment on table project_members is 'Each row is the role of an Actor in a Project. Removal, or erasure of the '
  'Project, deletes it.';
comment on table project_shortcuts is 'Each row lists the Projects that a member pinned in a Workspace. Its owner '
  'upserts it; rows remain.';
comment on table project_states is 'Each row is a state that Projects of a Workspace can have, bound to a stage. '
  'Deleting the state deletes the row.';
comment on table projects is 'Each row is a Project. Deletion sets deleted_at; 30 days later its contents are erased, '
  'and the row retains the key.';
comment on table provider_requests is 'Each row is an authorization request in progress at an identity provider, found '
  'by its state parameter. A sweep deletes it one day after expiry.';
comment on table publications is 'Each row is the public id of a published Project or Document. Unpublishing deletes '
  'it.';
comment on table push_endpoints is 'Each row is a push address of a browser session or native device. The end of the '
  'session or grant deletes it.';
comment on table recovery_codes is 'Each row is the hash of a recovery code for the second factor, marked after use. '
  'New codes or disabling the factor delete it.';
comment on table repository_attachments is 'Each row is an attachment stored beside the file of its Document in the '
  'Git repository. Synchronization maintains it; a new connection deletes it.';
comment on table repository_conflicts is 'Each row is a conflict between a Document and its file that a person must '
  'resolve. A sweep deletes it 30 days after resolution.';
comment on table repository_files is 'Each row is the file of a Document as of the last synchronization, the base of '
  'the next merge. Its removal or a new connection deletes it.';
comment on table repository_runs is 'Each row is an import or synchronization run with its counts and problems. A '
  'sweep deletes it 30 days after it finished.';
comment on table rich_entities is 'Each row is a branch, pull request, error or message of a provider linked to a '
  'Task. It is deleted with the Task.';
comment on table search_entries is 'Each row is the search vector of a Task, Comment or Document. index_search updates '
  'it; trashing or deletion of the source deletes it.';
comment on table search_sweep is 'One row holds the last word that sweep_search_words checked. The sweep deletes it '
  'after a complete pass.';
comment on table search_words is 'Each row is a word of a title in a Workspace, for correcting misspelled queries. '
  'sweep_search_words deletes words without entries.';
comment on table second_factors is 'Each row is the TOTP secret of an account with its failed attempts. Disabling the '
  'second factor deletes it.';
comment on table secret_keys is 'Each row identifies a key that seals stored secrets, with a check value. A key is '
  'retired, never deleted, and its id never reused.';
comment on table sign_in_challenges is 'Each row is a sign-in that waits for its second factor. A sweep deletes it one '
  'day after expiry.';
comment on table statuses is 'Each row is a Status of Tasks, for the whole Workspace or one Project, bound to a stage. '
  'Deleting the Status deletes the row.';
comment on table suggestion_feedback is 'Each row is the verdict of a member on a suggestion for a Task. It is deleted '
  'with either Task.';
comment on table task_assignments is 'Each row is an assignment of a Task to an Actor. Reassignment closes it, and it '
  'is deleted with the Task.';
comment on table task_codes is 'Each row is a former code of a moved Task, so that the code still resolves. It is '
  'deleted with the Task.';
comment on table task_counters is 'Each row holds the last Task number of a Project, separately so that creating Tasks '
  'does not lock the Project. Erasure deletes it.';
comment on table task_description_revisions is 'Each row is a description that a change of a Task replaced. It is '
  'deleted with the Task.';
comment on table task_mentions is 'Each row is a member whom texts of a Task mention. The inbox job maintains it; it '
  'is deleted with the Task.';
comment on table task_relations is 'Each row relates two Tasks, stored once in one direction. Removing the relation or '
  'deleting either Task deletes it.';
comment on table task_result_sets is 'Each row is an immutable version of the Tasks that a query found, with their '
  'revisions. A sweep deletes it after seven days.';
comment on table task_saved_views is 'Each row is a named query and layout that a member saved. Its owner deletes it, '
  'or the end of the membership.';
comment on table task_selections is 'Each row is a subset of a result set that a member selected. A sweep deletes it '
  'after seven days.';
comment on table task_subscriptions is 'Each row is a member''s explicit choice to follow or mute a Task. Without a '
  'row, activity decides; it is deleted with the Task.';
comment on table tasks is 'Each row is a Task of a Project. Permanent deletion from the trash, or erasure of the '
  'Project, deletes it with its dependents.';
comment on table time_entries is 'Each row is time that an Actor recorded on a Task. Voiding retains the row; erasure '
  'of the Project deletes it.';
comment on table time_reports is 'Each row counts changes of the recorded time of a Task, Project or person, for '
  'refusing stale cursors. Rows remain.';
comment on table time_tracking_policies is 'Each row holds whether a Workspace tracks time and how it rounds. Without '
  'a row time is tracked exactly.';
comment on table told_events is 'Each row is an event that the inbox processed, so that rereading skips it. '
  'take_events deletes it ten minutes behind the read position.';
comment on table users is 'Each row is the account of a person. Registration inserts it; rows are never deleted.';
comment on table webhook_deliveries is 'Each row is an event queued for a webhook endpoint, with its attempts. A sweep '
  'deletes it after 30 days, or 60 while queued.';
comment on table webhook_endpoints is 'Each row is a URL to which a Workspace sends events. Deletion sets deleted_at, '
  'and a sweep deletes the row after its deliveries.';
comment on table webhook_positions is 'Each row is the position in the journal up to which a Workspace queued webhook '
  'deliveries. The webhook sender advances it.';
comment on table workspace_settings is 'Each row holds defaults of a Workspace, such as time zone and Project '
  'visibility. Without a row the defaults of the service apply.';
comment on table workspaces is 'Each row is a Workspace, the tenant of most tables. Archiving sets archived_at; rows '
  'are never deleted.';

comment on function acts_as_owner() is 'Returns whether the session acts as the owner of the tables. The owner '
  'policies call it; immutable, so that the planner folds it.';
comment on function add_change_token() is 'Trigger on discuss_streams: adds a random token per change, so that clients '
  'detect changes lost in a promotion.';
comment on function agent_caller(uuid, uuid) is 'Returns the Actor, role and Projects with which an Agent run acts '
  'now, or a fault. SECURITY DEFINER because it authenticates the run.';
comment on function agent_events(text[], integer, timestamptz, timestamptz) is 'Reads the next page of events that can '
  'start Agent runs and advances the position. SECURITY DEFINER because it reads all Workspaces.';
comment on function agents_on_schedule() is 'Returns active Agents with a schedule. SECURITY DEFINER because it reads '
  'all Workspaces.';
comment on function attachments_follow_task() is 'Trigger on tasks: copies the new Project of a moved Task to its '
  'attachments.';
comment on function audit_digest(timestamptz, timestamptz) is 'Returns count and SHA-256 digest of the audit rows of a '
  'time span. Sealing and verification share it.';
comment on function audit_span(bigint) is 'Returns the next span of audit rows to seal, with its digest. The last '
  'minute and open transactions remain unsealed. The sealing job calls it.';
comment on function billing_state(text, timestamptz) is 'Returns the billing state of a subscription: past due and '
  'grace end by time. Shared by queries and plan_in_force.';
comment on function category_rank(text) is 'Returns the order of a stage category. Generated columns and queries share '
  'it.';
comment on function changed_meanwhile() is 'Raises serialization_failure, so that the request is retried. Updates call '
  'it as an expression if the row has another revision.';
comment on function claim_webhook_endpoints(integer, integer, uuid, integer) is 'Leases due webhook endpoints without '
  'naming a process. Release 0.11 still calls it; lease_webhook_endpoints replaces it.';
comment on function current_account() is 'Returns the account that the authentication query set on the connection. '
  'Statements need no parameter for it.';
comment on function current_actor() is 'Returns the Actor that the authentication query set on the connection. '
  'Statements need no parameter for it.';
comment on function current_credential() is 'Returns the credential that the authentication query set on the '
  'connection. Statements need no parameter for it.';
comment on function current_workspace() is 'Returns the tenant that the authentication query set on the connection. '
  'Every tenant policy calls it.';
comment on function document_path(text, uuid) is 'Returns the path of a Document from its slugs; above 200 characters '
  'a short id precedes the last slugs. Shared by queries.';
comment on function due_agent_runs(integer) is 'Returns open Agent runs without a valid lease, oldest first. SECURITY '
  'DEFINER because it reads all Workspaces.';
comment on function due_digests(integer) is 'Returns members to email a digest, at most hourly. SECURITY DEFINER '
  'because it reads all Workspaces.';
comment on function due_discuss_runs(integer) is 'Returns the first open run of each Discuss stream without a valid '
  'lease. SECURITY DEFINER because it reads all Workspaces.';
comment on function due_for_knowledge(integer) is 'Returns the newest sources to index, at most the given number per '
  'Workspace. SECURITY DEFINER because it reads all Workspaces.';
comment on function due_integration_lanes(integer) is 'Returns lanes of integration deliveries to process, longest '
  'waiting first. SECURITY DEFINER because it reads all Workspaces.';
comment on function end_free_claim() is 'Trigger on workspaces: deletes the free claim of a Workspace that is archived '
  'or has a paid plan.';
comment on function end_pushing() is 'Trigger on credentials and oauth_grants: deletes push endpoints when a session '
  'or grant is revoked.';
comment on function end_webhooks_of(uuid) is 'Deletes the webhook endpoints that an account created. SECURITY DEFINER '
  'because it updates all Workspaces of the account.';
comment on function enqueue_job(text, json, timestamptz, text, text) is 'Adds a job to the queue in the transaction of '
  'the caller. SECURITY DEFINER because the application role has no access to the queue.';
comment on function entitled(uuid, text) is 'Returns whether the plan of a Workspace includes a feature. SECURITY '
  'DEFINER because the Workspace may not be the current tenant.';
comment on function events_read(text, timestamptz) is 'Stores the time up to which a follower has read domain events. '
  'Followers share it.';
comment on function events_settled() is 'Returns the time before which no further event can appear, ignoring '
  'transactions without writes that are older than a minute. Followers share it.';
comment on function events_settled(interval) is 'Returns the time before which no further event can appear. Waits for '
  'every writing transaction, and for others within the given interval.';
comment on function events_since(text) is 'Locks a follower of domain events and returns the time from which it reads. '
  'After a promotion it starts ten minutes earlier.';
comment on function first_event_of(uuid) is 'Returns the lowest event id of a command, whose events share its first 28 '
  'digits. Shared by queries for index range scans.';
comment on function flag_replaced_job() is 'Trigger on the job table: flags a job that lost its key, so that a '
  'replaced job differs from a failed one.';
comment on procedure force_tenant(regclass) is 'Enables and forces row-level security on a table and creates the '
  'policy of its owner. Procedure shared by migrations and force_tenants.';
comment on procedure force_tenants() is 'Calls force_tenant for every unprotected tenant table, in a transaction each. '
  'Migrations and every start call it.';
comment on function forget_discuss() is 'Trigger on memberships: deletes the Discuss conversation when a membership '
  'ends. SECURITY DEFINER because the application role deletes none.';
comment on function forget_discuss_preferences() is 'Trigger on memberships: deletes the Discuss preferences when a '
  'membership ends. SECURITY DEFINER because the application role deletes none.';
comment on function forget_discuss_reminders() is 'Trigger on memberships: deletes the reminders when a membership '
  'ends. SECURITY DEFINER because the application role deletes none.';
comment on function forget_document() is 'Trigger on documents: blanks the events and deletes the links of a deleted '
  'Document. SECURITY DEFINER because the application role changes no event.';
comment on function forget_document_words() is 'Trigger on documents: deletes the search entry of a deleted Document. '
  'SECURITY DEFINER because only the owner writes search_entries.';
comment on function forget_knowledge() is 'Trigger on sources: deletes the passages of a changed source and, with '
  'argument along, of its parts. SECURITY DEFINER because every writer fires it.';
comment on function forget_native_work() is 'Trigger on memberships: deletes evidence, result sets, selections and '
  'views when a membership ends. SECURITY DEFINER because the application role deletes no versions.';
comment on function forget_private_files() is 'Trigger on memberships: marks private files as deleted and enqueues '
  'removal of their objects when a membership ends. Runs with the rights of the owner.';
comment on function forget_task() is 'Trigger on tasks: blanks the events and deletes the links of a deleted Task. '
  'SECURITY DEFINER because the application role changes no event.';
comment on function hold_to_plan() is 'Trigger on agents, memberships and attachments: locks the Workspace and refuses '
  'a row beyond the plan limit. SECURITY DEFINER for Workspaces outside the tenant.';
comment on function index_search(integer, timestamptz, timestamptz) is 'Indexes the next page of events for search and '
  'advances the position. SECURITY DEFINER because it reads all Workspaces.';
comment on function index_search_documents(timestamptz, timestamptz) is 'Updates search entries of Documents that '
  'events of a time span changed, with their descendants. Called by index_search.';
comment on function index_search_documents_of(search_source[]) is 'Upserts search entries and title words of given '
  'Documents. Called by index_search_documents.';
comment on function index_search_of(search_source[], search_source[]) is 'Upserts search entries and title words of '
  'given Tasks and Comments. Called by index_search.';
comment on function integration_asked(text, text) is 'Returns installations that a signed request of an error tracker '
  'names. SECURITY DEFINER because the request identifies no Workspace.';
comment on function integration_caller(uuid, uuid, uuid, uuid) is 'Returns the Actor, role and Projects with which an '
  'integration delivery acts now. SECURITY DEFINER because it authenticates the delivery.';
comment on function integration_events(text[], integer, timestamptz, timestamptz) is 'Reads the next page of events '
  'that bound providers subscribe to and advances the position. SECURITY DEFINER because it reads all Workspaces.';
comment on function integration_reached(text, uuid) is 'Returns the installation with an id, for an incoming delivery. '
  'SECURITY DEFINER because the delivery identifies no Workspace.';
comment on function integration_reached_by(text, text, text) is 'Returns installations of a provider account, for an '
  'incoming delivery. SECURITY DEFINER because the delivery identifies no Workspace.';
comment on function integration_receive(uuid[], uuid[], uuid[], text, text, text, bytea) is 'Inserts a delivery for '
  'each installation and ignores duplicates. SECURITY DEFINER because it writes several Workspaces at once.';
comment on function iso_duration(bigint) is 'Returns seconds as an ISO 8601 duration of hours, minutes and seconds. '
  'Shared by queries.';
comment on function journal_digest(uuid, xid8, xid8) is 'Returns a digest of the journal of a Workspace between two '
  'positions. SECURITY DEFINER because it reads journals of other tenants.';
comment on function journal_epoch() is 'Returns the identity of the journal: epoch, cluster and database. Positions of '
  'another epoch are invalid. Shared by queries.';
comment on function journal_marked_since(text, timestamptz) is 'Returns whether a timeline has a mark after a time, so '
  'that everything committed before is present. SECURITY DEFINER, as the other functions of proofs.';
comment on function journal_moved(uuid[], xid8) is 'Returns which of the given Workspaces have journal entries since a '
  'position. SECURITY DEFINER because it reads several Workspaces.';
comment on function journal_proof(uuid, xid8) is 'Returns a proof of the journal that a reader at a position has seen. '
  'SECURITY DEFINER because it reads journals of other tenants.';
comment on function journal_proves(text) is 'Returns whether this database contains exactly the journal that a proof '
  'describes. SECURITY DEFINER because it reads journals of other tenants.';
comment on function journal_timeline() is 'Returns the timeline of the PostgreSQL cluster, which a promotion changes. '
  'Column defaults and queries share it.';
comment on function keep_excerpt() is 'Trigger on tasks: computes description_excerpt from the description.';
comment on function keep_label_assignments() is 'Trigger on tasks, projects and documents: derives label_assignments '
  'from label_ids and refuses a label deleted concurrently.';
comment on function knowledge_sources(uuid, uuid) is 'Returns every source of a Knowledge place: Tasks, Comments, '
  'Documents and attachments. Called by settle_knowledge.';
comment on function knowledge_wanted() is 'Returns the Projects and Workspaces that the settings and plans include in '
  'Knowledge. Called by settle_knowledge.';
comment on function labels_in_project(uuid, uuid[], text, uuid) is 'Returns which of the given labels a target in a '
  'Project may have, in order. Queries of Tasks and Documents share it.';
comment on function last_event_of(uuid) is 'Returns the highest event id of a command, whose events share its first 28 '
  'digits. Shared by queries for index range scans.';
comment on function lease_webhook_endpoints(integer, integer, uuid, integer, integer) is 'Leases due webhook endpoints '
  'to a process, longest waiting first, within a limit per Workspace. SECURITY DEFINER because it updates all '
  'Workspaces.';
comment on function local_day(text) is 'Returns the current date in a time zone, or in UTC if PostgreSQL has no such '
  'zone. Called by take_due_tasks.';
comment on function name_agent() is 'Trigger on agents: maintains the searchable names of an active Agent in '
  'member_names. SECURITY DEFINER because only the owner writes that table.';
comment on function name_member() is 'Trigger on memberships: maintains the searchable names of an active member. '
  'SECURITY DEFINER because a joining account is outside the tenant.';
comment on function names_of(text, text) is 'Returns the searchable parts of a name in lower case without accents. The '
  'triggers of member_names share it.';
comment on function narrower_budgets(jsonb, jsonb) is 'Returns the lower limit of two budgets for each key. Shared by '
  'queries of Agents.';
comment on function note_inbox_added() is 'Trigger on inbox_items: records created items of a statement in '
  'private_changes. SECURITY DEFINER because only the owner writes that table.';
comment on function note_inbox_changed() is 'Trigger on inbox_items: records changed items of a statement in '
  'private_changes. SECURITY DEFINER because only the owner writes that table.';
comment on function note_inbox_removed() is 'Trigger on inbox_items: records deleted items of a statement in '
  'private_changes. SECURITY DEFINER because only the owner writes that table.';
comment on function note_own_change() is 'Trigger on accounts, credentials, grants, identities and passkeys: records '
  'the change for their owner. SECURITY DEFINER because only the owner writes private_changes.';
comment on function note_private_change(uuid, uuid, text, uuid, text, bigint) is 'Upserts a private change of this '
  'transaction, merged with earlier ones. SECURITY DEFINER because only the owner writes private_changes.';
comment on function number_discuss_change() is 'Trigger on reminders and preferences of Discuss: assigns the next '
  'change number of the stream. Runs with the rights of the owner.';
comment on function pass_free_claim() is 'Trigger on memberships: passes the free claim of a departing owner to the '
  'longest-standing owner without one.';
comment on function plain_excerpt(text) is 'Returns the first 200 characters of a text without Markdown syntax. A '
  'trigger and queries share it.';
comment on function plan_in_force(uuid) is 'Returns the plan that limits a Workspace now; without a billing provider '
  'no row. SECURITY DEFINER because the Workspace may be another tenant.';
comment on function plan_limit(uuid, text) is 'Returns the limit of members, storage or Agents; null means unlimited. '
  'SECURITY DEFINER because the Workspace may not be the current tenant.';
comment on function plan_use(uuid, text) is 'Returns how many members, bytes of storage or Agents a Workspace uses. '
  'SECURITY DEFINER because the Workspace may not be the current tenant.';
comment on function priority_rank(text) is 'Returns the order of a Task priority. A generated column and queries share '
  'it.';
comment on function process_lives(integer) is 'Returns whether a process still holds its advisory lock. Queries that '
  'find lost processes call it.';
comment on function process_lock() is 'Returns the first key of the advisory locks of processes. Shared by every query '
  'that locks or checks one.';
comment on procedure protect_tenant(regclass, text) is 'Adds the tenant policy, grants and forced row-level security '
  'to a table. Procedure that migrations call for each new table.';
comment on function read_file_anew() is 'Trigger on attachments: queues a changed file for the Knowledge index. '
  'SECURITY DEFINER because the application role cannot insert into knowledge_due.';
comment on function read_for_knowledge(integer, timestamptz, timestamptz) is 'Queues sources changed by the next page '
  'of events for Knowledge and advances the position. SECURITY DEFINER because it reads all Workspaces.';
comment on function rename_member() is 'Trigger on users: updates the searchable names of a renamed account. SECURITY '
  'DEFINER because the account belongs to several Workspaces.';
comment on function repository_backlog(uuid[]) is 'Returns Workspaces with unexported changes, and whether an open '
  'transaction delays them. SECURITY DEFINER because it reads all Workspaces.';
comment on function resume_webhooks() is 'Resets the webhook position of a Workspace in a restored journal to an hour '
  'earlier. SECURITY DEFINER because the application role changes no event.';
comment on function review_change_set(uuid, integer, bytea, text) is 'Records the decision of the initiator, in a '
  'browser session, on the newest version. SECURITY DEFINER because nothing else may insert reviews.';
comment on function search_documents(search_question, boolean, boolean) is 'Returns Documents that match a question '
  'from their own index, scored by title. Called by search_matches.';
comment on function search_documents_having(search_question, tsquery, boolean, boolean, boolean) is
  'Returns Documents that match one condition with a fixed score class. Called by search_documents for each class.';
comment on function search_fresh(search_question) is 'Returns matches among changes that the search index does not '
  'contain yet. Called by search_matches and search_has.';
comment on function search_has(text[], uuid[]) is 'Returns whether anything in the given places matches the terms. '
  'Called by search_mended to detect misspelled words.';
comment on function search_indexed(search_question, text[], boolean, boolean, boolean) is 'Returns the best Tasks and '
  'Comments that the search index finds. Called by search_matches.';
comment on function search_mark(uuid) is 'Returns the prefix that separates the words of Workspaces in one search '
  'index. Shared by indexing and queries.';
comment on function search_matches(text[], text, uuid[], boolean) is 'Returns the best matches of the terms in the '
  'current Workspace. SECURITY DEFINER because row-level security would prevent the index scan.';
comment on function search_mended(text[], uuid[]) is 'Adds similar title words to terms that match nothing. SECURITY '
  'DEFINER because row-level security would prevent the index scan.';
comment on function search_newest(search_question, text, integer, integer) is 'Returns matches among the newest '
  'entries of a kind. Called by search_matches and search_has.';
comment on function search_place(text, text, uuid) is 'Returns the search vector of kind and Project, which narrows '
  'index scans. Shared by the indexing functions.';
comment on function search_places(text, uuid[]) is 'Returns the search condition for any of the given Projects. Shared '
  'by the search functions.';
comment on function search_question_of(text[], text, uuid[]) is 'Parses terms into a search_question with conditions '
  'and patterns. Shared by the search functions.';
comment on function search_score(text, boolean, boolean, timestamptz) is 'Returns the score of a match from its kind, '
  'title match and time of change. Shared by the search functions.';
comment on function search_size(search_question, text, double precision) is 'Estimates how many thousand entries of a '
  'kind exist. search_matches uses it to decide whether the newest matches suffice.';
comment on function search_terms(text) is 'Returns the words of a query as the index stores them; the last one is a '
  'prefix. Called by the search query.';
comment on function search_text(text) is 'Returns a text with combined characters normalized, so that equal-looking '
  'words match. Shared by indexing and queries.';
comment on function search_title(text, text) is 'Returns the search vector of the words of a title, for title matches. '
  'Shared by the indexing functions.';
comment on function search_vector(text, text) is 'Returns the search vector of the first 30,000 characters of a text. '
  'Shared by indexing and queries.';
comment on function search_vector_of_document(text, text, text) is 'Returns the search vector of a Document, with '
  'title weighted above body. Called by the indexing functions.';
comment on function search_vector_of_task(text, text, text) is 'Returns the search vector of a Task, with title '
  'weighted above description. Called by the indexing functions.';
comment on function settle_knowledge(integer) is 'Adds and removes Knowledge places as the settings require and '
  'versions removed sources. SECURITY DEFINER because it writes all Workspaces.';
comment on function subject_of_inbox_item() is 'Trigger on inbox_items: sets subject_id to the subject of the '
  'notification. A generated column would have required a table rewrite.';
comment on function sweep_search_words(integer) is 'Deletes title words without search entries, one page per call. '
  'SECURITY DEFINER because it reads all Workspaces.';
comment on function take_due_reminders(integer) is 'Marks due reminders as delivered and returns them, each once. '
  'SECURITY DEFINER because it updates all Workspaces.';
comment on function take_due_tasks(integer) is 'Returns Tasks due today or tomorrow for their assignee, each once per '
  'date. SECURITY DEFINER because it reads all Workspaces.';
comment on function take_events(text[], integer, timestamptz, timestamptz) is 'Returns the next events for the inbox, '
  'each once, and advances the position. SECURITY DEFINER because it reads all Workspaces.';
comment on function tell_agent_run() is 'Trigger on agent_runs: records a domain event for each revision of a run. '
  'Runs with the rights of the owner.';
comment on function unforced_tenants() is 'Returns tenant tables without forced row-level security or the policy of '
  'their owner. Starts and force_tenants call it.';
comment on function webhook_backlog(uuid[]) is 'Returns Workspaces with unread events for webhooks, and whether an '
  'open transaction delays them. SECURITY DEFINER because it reads all Workspaces.';
comment on function webhook_workspaces() is 'Returns Workspaces with unread events for webhooks. Release 0.11 calls '
  'it; webhook_backlog replaces it. SECURITY DEFINER because it reads all Workspaces.';
comment on function wire_time(timestamptz) is 'Returns a time in the format of the API: UTC with milliseconds. Shared '
  'by every view and query that returns JSON.';

-- Servers before PostgreSQL 18 have a uuidv7() of their own (0069).
do $$ begin
  if to_regprocedure('public.uuidv7()') is not null then
    comment on function public.uuidv7() is
      'Returns a time-ordered UUID of version 7, as PostgreSQL 18 does. Triggers and background work call it.';
  end if;
end $$;
