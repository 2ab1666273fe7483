// The audience and the action of every event type; rules.ts decides what each recipient receives. Pure. Decision 0125.

export type FeedAction = "created" | "changed" | "removed";

/**
 * Recipients of an event. `place`: members who see its Project, or every member if it has none; `managers`: owners and
 * admins; `owner`: the member that it is about, in a scope of their own.
 */
type Who = "place" | "managers" | "owner";
interface Heard {
  who: Who;
  action: FeedAction;
}
export const words = (text: string) => text.trim().split(/\s+/);
const each = (heard: Heard | null, types: string) => words(types).map((type) => [type, heard] as const);
const place = (action: FeedAction, types: string) => each({ who: "place", action }, types);

/** Every event type that the service records. Null: no Workspace subscription receives it. */
export const hearing: ReadonlyMap<string, Heard | null> = new Map([
  ...place(
    "created",
    `agent.created agent_definition.created agent_run.created attachment.attached document.created integration_binding.created integration_installation.connected integration_subscription.created label.created label.restored lifecycle_migration.started member.joined member.restored milestone.created
    milestone.restored project.created project.member_added project.restored project_state.created status.created task.comment.created task.created task.rich_entity.added
    time_entry.recorded time_entry.restored workspace.created`,
  ),
  ...place(
    "changed",
    `agent.quarantined agent.rolled_back agent.updated agent_definition.published agent_definition.retired agent_definition.updated agent_run.changed
    document.archived document.content_updated document.labels_changed document.link_added document.link_removed document.moved document.published
    document.repository_conflict_resolved integration_binding.updated integration_installation.changed integration_installation.reconnected integration_subscription.updated document.restored document.trashed document.unarchived document.unpublished document.updated
    label.override_deleted label.override_replaced label.updated lifecycle_migration.completed lifecycle_migration.failed member.updated
    milestone.stage_changed milestone.updated milestone_lifecycle.replaced project.completion_policy_replaced project.configured project.labels_changed
    project.member_changed project.moved project.updated project_lifecycle.updated project_state.archived project_state.moved project_state.updated
    status.archived status.moved status.updated task.assigned task.comment.deleted task.comment.reaction_added task.comment.reaction_removed task.comment.updated
    task.dates_changed task.description_changed task.labels_changed task.milestone_changed task.moved task.priority_changed task.relation_added
    task.relation_changed task.relation_removed task.restored task.rich_entity.changed task.status_changed task.trashed task.updated time_entry.corrected workspace.archived
    workspace.billing_changed workspace.icon_removed workspace.icon_replaced workspace.knowledge_settings_updated workspace.restored workspace.settings_updated
    workspace.time_tracking_updated workspace.updated`,
  ),
  ...place(
    "removed",
    `agent.deleted attachment.deleted document.deleted integration_binding.deleted integration_installation.removed label.deleted member.removed milestone.deleted project.deleted project.member_removed project_state.deleted
    status.deleted task.deleted time_entry.voided`,
  ),
  ...each(
    { who: "managers", action: "created" },
    "agent_request.created integration_request.created invitation.created invitation.resent " +
      "mcp_service_credential.created webhook_endpoint.created",
  ),
  ...each(
    { who: "managers", action: "changed" },
    `agent_request.decided integration_request.declined invitation.accepted workspace.ai_access_policy_replaced workspace.knowledge_repository_connected workspace.knowledge_repository_disconnected
    webhook_endpoint.secret_rotated webhook_endpoint.updated workspace.knowledge_repository_run_requested workspace.knowledge_repository_updated`,
  ),
  ...each(
    { who: "managers", action: "removed" },
    "invitation.revoked mcp_service_credential.revoked webhook_endpoint.deleted",
  ),
  ...each({ who: "owner", action: "changed" }, "project_display_preferences.replaced project_shortcuts.replaced"),
  // Personal data that no scope publishes, and uploads that nobody else sees before they are attached.
  ...each(
    null,
    `attachment.upload_cancelled attachment.upload_reserved attachment.uploaded current_work.changed notification_preference.changed
    task.subscription_changed task.suggestion.rated`,
  ),
  // Events of accounts and inboxes. Their owners are notified through the private journal, whoever made the change, and
  // also if no event was recorded.
  ...each(
    null,
    `account.email_change_requested account.email_changed account.email_verified account.interface_language_changed account.other_sessions_revoked
    account.password_changed account.password_reset account.picture_removed account.picture_replaced account.reauthenticated account.reclaimed
    account.recovery_code_used account.recovery_codes_replaced account.registered account.second_factor_enabled account.second_factor_failed
    account.second_factor_removed account.second_factor_set_up account.session_revoked account.session_workspace_changed account.sign_in_challenged
    account.signed_in account.signed_out account.updated api_token.created api_token.revoked identity.linked identity.removed inbox.read_state_changed
    inbox_item.changed integration_identity.linked integration_identity.unlinked mcp_token.exchanged mcp_token.revoked mobile_credential.revoked oauth_client.registered oauth_grant.created
    oauth_grant.redeemed oauth_grant.refreshed oauth_grant.replayed oauth_grant.revoked oauth_grant.workspace_changed passkey.created passkey.deleted
    passkey.disabled passkey.updated push_endpoint.registered push_endpoint.removed`,
  ),
]);

/**
 * Whether no Workspace subscription receives the event. The private journal publishes changes of accounts and inboxes.
 */
export const isOfAccount = ({ type }: { type: string }) => hearing.get(type) === null;
