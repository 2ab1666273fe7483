// Which subscriptions hear of an event, as what: a table of all types, and what one follower is told of one event. Pure. Whoever sees a thing now hears
// that it changed; whoever saw it where it was hears that it went, and no more; anybody else hears nothing. Decision 0125.
import type { namedScopes } from "@svc/contract/realtime/baseline.ts";

export type Scope = "workspace" | (typeof namedScopes)[number];
export type Action = "created" | "changed" | "removed";
/** A hint to read something again: identities and revisions, never content. */
export interface RealtimeChange {
  kind: string;
  id: string;
  /** As it is now. Null where it is gone, or has none. */
  revision: string | null;
  action: Action;
  project_id?: string;
  task_id?: string;
}

/**
 * Who hears of it: `place` whoever sees the Project that it is in, and every member where it is in none; `managers` owners and admins; `owner` the member
 * that it is about, in a scope of its own.
 */
type Who = "place" | "managers" | "owner";
interface Heard {
  who: Who;
  action: Action;
}
const words = (text: string) => text.trim().split(/\s+/);
const each = (heard: Heard | null, types: string) => words(types).map((type) => [type, heard] as const);
const place = (action: Action, types: string) => each({ who: "place", action }, types);

/** Every type of event that the service records. Null: no subscription to a Workspace hears of it. */
export const hearing: ReadonlyMap<string, Heard | null> = new Map([
  ...place(
    "created",
    `agent.created agent_definition.created attachment.attached document.created label.created label.restored lifecycle_migration.started member.joined member.restored milestone.created
    milestone.restored project.created project.member_added project.restored project_state.created status.created task.comment.created task.created task.rich_entity.added
    time_entry.recorded time_entry.restored workspace.created`,
  ),
  ...place(
    "changed",
    `agent.quarantined agent.rolled_back agent.updated agent_definition.published agent_definition.retired agent_definition.updated
    document.archived document.content_updated document.labels_changed document.link_added document.link_removed document.moved document.published
    document.repository_conflict_resolved document.restored document.trashed document.unarchived document.unpublished document.updated
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
    `agent.deleted attachment.deleted document.deleted label.deleted member.removed milestone.deleted project.deleted project.member_removed project_state.deleted
    status.deleted task.deleted time_entry.voided`,
  ),
  ...each(
    { who: "managers", action: "created" },
    "agent_request.created invitation.created invitation.resent mcp_service_credential.created",
  ),
  ...each(
    { who: "managers", action: "changed" },
    `agent_request.decided invitation.accepted workspace.ai_access_policy_replaced workspace.knowledge_repository_connected workspace.knowledge_repository_disconnected
    workspace.knowledge_repository_run_requested workspace.knowledge_repository_updated`,
  ),
  ...each({ who: "managers", action: "removed" }, "invitation.revoked mcp_service_credential.revoked"),
  ...each({ who: "owner", action: "changed" }, "project_display_preferences.replaced project_shortcuts.replaced"),
  // Of somebody's own that no scope has, and of an upload that nobody else sees before it is attached.
  ...each(
    null,
    `attachment.upload_cancelled attachment.upload_reserved attachment.uploaded current_work.changed notification_preference.changed
    task.subscription_changed task.suggestion.rated`,
  ),
  // Of an account and of an inbox: who they belong to is told by the private journal, whoever changed them, and with or without an event.
  ...each(
    null,
    `account.email_change_requested account.email_changed account.email_verified account.interface_language_changed account.other_sessions_revoked
    account.password_changed account.password_reset account.picture_removed account.picture_replaced account.reauthenticated account.reclaimed
    account.recovery_code_used account.recovery_codes_replaced account.registered account.second_factor_enabled account.second_factor_failed
    account.second_factor_removed account.second_factor_set_up account.session_revoked account.session_workspace_changed account.sign_in_challenged
    account.signed_in account.signed_out account.updated api_token.created api_token.revoked identity.linked identity.removed inbox.read_state_changed
    inbox_item.changed mcp_token.exchanged mcp_token.revoked mobile_credential.revoked oauth_client.registered oauth_grant.created
    oauth_grant.redeemed oauth_grant.refreshed oauth_grant.replayed oauth_grant.revoked oauth_grant.workspace_changed passkey.created passkey.deleted
    passkey.disabled passkey.updated push_endpoint.registered push_endpoint.removed`,
  ),
]);

/** Whether an event tells of what the private journal has. */
export const isOfAccount = ({ type }: { type: string }) => hearing.get(type) === null;

/** What gives or takes sight of something: whoever follows what lies in it reads again. */
const OF_SIGHT = new Set(
  words(`document.deleted document.moved document.restored document.trashed project.configured project.deleted project.member_added
  project.member_removed project.restored task.deleted task.moved task.restored task.trashed`),
);

/** An event as it is read for followers: with where its resource is now. */
export interface Told {
  tx: string;
  id: string;
  type: string;
  kind: string;
  resource_id: string;
  /** Of the resource now; null where it has none. */
  revision: string | null;
  /** It, or the Task that it is of, is not there any more. */
  gone: boolean;
  /** The Project that it is in now. */
  place_id: string | null;
  /** The one that it was in when it happened, and before. */
  project_id: string | null;
  left_id: string | null;
  task_id: string | null;
  /** Every member saw it before: it has made a Project private, or taken a Document into one. */
  closes: boolean;
  /** The Actor that it is about: it hears of it wherever it is. */
  owner_id: string | null;
  /** The person whose membership it changes. */
  user_id: string | null;
}
/** What a follower sees at this moment. */
export interface Sight {
  actorId: string | null;
  userId: string;
  manages: boolean;
  sees(projectId: string): boolean;
  /** The same of a Project that was deleted, as long as it was not. */
  saw(projectId: string): boolean;
  /** Where a Task is that somebody follows. */
  projectOf(taskId: string): string | null;
}

function changeOf(event: Told, action: Action, project_id: string | null): RealtimeChange {
  const { kind, resource_id: id, task_id } = event;
  return {
    kind,
    id,
    revision: action === "removed" ? null : event.revision,
    action,
    ...(project_id !== null && project_id !== id && { project_id }),
    ...(task_id !== null && task_id !== id && { task_id }),
  };
}

/** As whoever follows all of the Workspace hears it. */
function ordinary(event: Told, sight: Sight): RealtimeChange | null {
  const line = hearing.get(event.type);
  if (!line || line.who === "owner") return null;
  if (line.who === "managers") return sight.manages ? changeOf(event, line.action, null) : null;
  const { place_id, project_id, left_id, owner_id } = event;
  const isOwn = owner_id !== null && owner_id === sight.actorId;
  if (!event.gone && (place_id === null || sight.sees(place_id) || (isOwn && event.kind !== "project_member")))
    return changeOf(event, line.action, place_id);
  // Where it was seen: the Project that has it now is not named.
  const seenIn = [project_id, left_id].find((id) => id !== null && sight.saw(id));
  if (seenIn !== undefined) return changeOf(event, "removed", seenIn);
  return event.closes || project_id === null ? changeOf(event, "removed", null) : null;
}

/** Their own coming into a Project and leaving it is that Project's coming and going. */
function ownProject({ kind, owner_id, project_id }: Told, sight: Sight): RealtimeChange | null {
  if (kind !== "project_member" || owner_id !== sight.actorId || project_id === null) return null;
  return { kind: "project", id: project_id, revision: null, action: sight.sees(project_id) ? "changed" : "removed" };
}

/** Somebody's role decides what they see of everything: whoever's was changed begins anew. */
export const turnsSight = ({ kind, user_id }: Told, { userId }: Pick<Sight, "userId">) =>
  kind === "member" && user_id === userId;

type Hears = (event: Told, sight: Sight, resourceId: string | null) => (RealtimeChange | null)[];
const all: Hears = (event, sight) => [ordinary(event, sight), ownProject(event, sight)];
const nothing: Hears = () => [];
const hears: Record<Scope, Hears> = {
  workspace: all,
  projects: (event, sight) => all(event, sight, null).filter((change) => change?.kind === "project"),
  task_comments: (event, sight, taskId) =>
    all(event, sight, taskId).map((change) => {
      if (!change || taskId === null) return null;
      if (change.kind === "comment") return change.task_id === taskId ? change : null;
      if (!OF_SIGHT.has(event.type)) return null;
      if (change.kind === "task") return change.id === taskId ? change : null;
      const within = change.kind === "project" && change.id === sight.projectOf(taskId);
      return within ? { kind: "task", id: taskId, revision: null, action: change.action } : null;
    }),
  inbox: (event, sight) =>
    OF_SIGHT.has(event.type) && sight.actorId !== null && all(event, sight, null).some((change) => change !== null)
      ? [{ kind: "inbox", id: sight.actorId, revision: null, action: "changed" }]
      : [],
  personal_projects: (event, sight) =>
    hearing.get(event.type)?.who === "owner" && event.owner_id === sight.actorId
      ? [{ ...changeOf(event, "changed", null), kind: event.type.slice(0, event.type.indexOf(".")) }]
      : [],
  account: nothing,
  account_security: nothing,
  // It has a sequence of its own: see discuss-feed.ts.
  discuss: nothing,
};
export const heardIn = (scope: Scope, event: Told, sight: Sight, resourceId: string | null): RealtimeChange[] =>
  hears[scope](event, sight, resourceId).filter((change) => change !== null);

/** What changed in somebody's own: an inbox, an account, or what lets them in. */
export interface Own {
  tx: string;
  owner_id: string;
  kind: string;
  id: string;
  action: Action;
  revision: string | null;
}
export const scopeOfOwn = (kind: string): Scope =>
  kind === "inbox_item" ? "inbox" : kind === "account" ? "account" : "account_security";

/** One hint for each thing, as it stands at the end. */
export function gathered(changes: readonly RealtimeChange[]): RealtimeChange[] {
  const last = new Map<string, RealtimeChange>();
  for (const change of changes) {
    const name = `${change.kind} ${change.id} ${change.project_id ?? ""}`;
    const isNew = last.get(name)?.action === "created" && change.action === "changed";
    last.set(name, isNew ? { ...change, action: "created" } : change);
  }
  return [...last.values()];
}
