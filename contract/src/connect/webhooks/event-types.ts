// Event types of webhooks: each action has a version and the JSON schema of its payload. A version never changes; a new
// one is added next to it. The audience is decided as for realtime, by the access of the endpoint's creator
// (server/src/history/feed/rules.ts).
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { object } from "../../types.ts";

/** Domain events that webhooks publish. Add an action deliberately: the list is a public promise. */
export const webhookActions: readonly string[] = `
  agent.created agent.deleted agent.quarantined agent.rolled_back agent.updated
  agent_definition.created agent_definition.published agent_definition.retired agent_definition.updated
  agent_request.created agent_request.decided
  attachment.attached attachment.deleted
  document.archived document.content_updated document.created document.deleted document.labels_changed document.link_added document.link_removed document.moved document.published document.repository_conflict_resolved document.restored document.trashed document.unarchived document.unpublished document.updated
  invitation.accepted invitation.created invitation.resent invitation.revoked
  label.created label.deleted label.override_deleted label.override_replaced label.restored label.updated
  lifecycle_migration.completed lifecycle_migration.failed lifecycle_migration.started
  mcp_service_credential.created mcp_service_credential.revoked
  member.joined member.removed member.restored member.updated
  milestone.created milestone.deleted milestone.restored milestone.stage_changed milestone.updated
  milestone_lifecycle.replaced
  project.completion_policy_replaced project.configured project.created project.deleted project.labels_changed project.member_added project.member_changed project.member_removed project.moved project.restored project.updated
  project_lifecycle.updated
  project_state.archived project_state.created project_state.deleted project_state.moved project_state.updated
  status.archived status.created status.deleted status.moved status.updated
  task.assigned task.comment.created task.comment.deleted task.comment.reaction_added task.comment.reaction_removed task.comment.updated task.created task.dates_changed task.deleted task.description_changed task.labels_changed task.milestone_changed task.moved task.priority_changed task.relation_added task.relation_changed task.relation_removed task.restored task.status_changed task.trashed task.updated
  time_entry.corrected time_entry.recorded time_entry.restored time_entry.voided
  webhook_endpoint.created webhook_endpoint.deleted webhook_endpoint.secret_rotated webhook_endpoint.updated
  workspace.ai_access_policy_replaced workspace.archived workspace.icon_removed workspace.icon_replaced workspace.knowledge_repository_connected workspace.knowledge_repository_disconnected workspace.knowledge_repository_run_requested workspace.knowledge_repository_updated workspace.knowledge_settings_updated workspace.restored workspace.settings_updated workspace.time_tracking_updated workspace.updated`
  .trim()
  .split(/\s+/);
/** Sent by POST /webhook-endpoints/{endpoint_id}/test, to every endpoint. */
export const TEST_ACTION = "webhook_endpoint.tested";
export const WEBHOOK_VERSION = 1;

const id = { type: "string", format: "uuid" };
const idOrNull = { type: ["string", "null"], format: "uuid" };
/** JSON schema of the request body. It holds only ids: a receiver reads the resources with its own access. */
export const payloadSchema = (action: string) => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["type", "version", "timestamp", "data"],
  properties: {
    type: { const: action },
    version: { const: WEBHOOK_VERSION },
    timestamp: { type: "string", format: "date-time", description: "Time of the event." },
    data: {
      type: "object",
      required: ["workspace_id", "kind", "id", "revision", "change", "actor_id", "project_id", "task_id"],
      properties: {
        workspace_id: id,
        kind: { type: "string", description: "Kind of the resource." },
        id,
        revision: {
          type: ["string", "null"],
          description: "Revision at the time of sending; null: the resource is deleted, or has none.",
        },
        change: {
          enum: ["created", "changed", "removed"],
          description: "removed: the resource is deleted, or the creator can no longer see it.",
        },
        actor_id: { ...idOrNull, description: "Actor of the event." },
        project_id: { ...idOrNull, description: "Current or last Project of the resource." },
        task_id: { ...idOrNull, description: "Task of the resource." },
      },
    },
  },
});

export const WebhookEventType = object({
  action: Type.String({ description: "Type in the payload, and the value that an endpoint selects." }),
  version: Type.Integer({ minimum: 1 }),
  schema: Type.Unsafe<Record<string, unknown>>({
    type: "object",
    description: "Payload as a JSON schema (2020-12).",
  }),
});
export const WebhookEventTypes = object({ items: Type.Array(WebhookEventType) });

export const listWebhookEventTypes = op("GET /webhook-event-types", "List the event types of webhooks", {
  description:
    "The list is the same for everybody until the service is updated. The last one is that of a test; " +
    "it cannot be selected.",
  unnamed: "a person who creates a webhook endpoint selects from it, and the author of a receiver needs the schemas",
  tag: "Webhooks",
  auth: [S],
  returns: WebhookEventTypes,
});
