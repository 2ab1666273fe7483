// Completion policies: the Statuses that a Project's Tasks move to when started, reviewed and done, and the Status,
// state or stage that completes an entity of a kind.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Category, Id, nullable, object, Revision, single, Timestamp } from "../../types.ts";
import { LifecycleKind } from "../lifecycle/behaviors.ts";

const chosen = {
  active_status_id: nullable(Id),
  review_status_id: nullable(Id),
  done_status_id: nullable(Id),
};

export const CompletionPolicyFields = object({
  project_id: Id,
  review_required: Type.Boolean({ description: "Whether Tasks are reviewed before they are done." }),
  ...chosen,
  effective_active_status_id: nullable(Id),
  effective_review_status_id: nullable(Id),
  effective_done_status_id: nullable(Id),
  revision: Revision,
  updated_at: nullable(Timestamp),
});
export const CompletionPolicy = single(CompletionPolicyFields);

export const getCompletionPolicy = op("GET /projects/{project_id}/completion-policy", "Read how Tasks are completed", {
  description:
    "Returns the chosen Statuses and the effective ones. Without a choice, or if the chosen Status can " +
    "no longer be used, the first suitable one in workflow order is effective; null if none is. Until " +
    "somebody decides, the defaults have revision 0.",
  auth: [S],
  returns: CompletionPolicy,
});

export const replaceCompletionPolicy = op(
  "PUT /projects/{project_id}/completion-policy",
  "Replace how Tasks are completed",
  {
    description:
      "Each Status must apply to the Project and be bound to a suitable stage: active counts as active " +
      "and awaits no review, review awaits review, done counts as completed.",
    auth: [S],
    ifMatch: "required",
    body: object({
      review_required: Type.Boolean(),
      active_status_id: Type.Optional(chosen.active_status_id),
      review_status_id: Type.Optional(chosen.review_status_id),
      done_status_id: Type.Optional(chosen.done_status_id),
    }),
    example: { review_required: true, done_status_id: null },
    returns: CompletionPolicy,
    errors: ["project_archived", "invalid_reference"],
  },
);

export const CompletionTarget = object({
  kind: LifecycleKind,
  project_id: nullable(Id),
  target_status_id: Type.String({
    format: "uuid",
    description: "Id of a Status or Project state; for a Milestone, of the stage.",
  }),
  name: Type.String(),
  category: Category,
  stage_id: Id,
});

export const getCompletionTarget = op(
  "GET /workspaces/{workspace_id}/lifecycle-completion-targets",
  "Find the Status, state or stage that completes a kind",
  {
    description:
      "Returns the target that counts as completed. If there are several, it is the one that " +
      "target_status_id or the Project's completion policy names. project_id is for Tasks: without it, " +
      "only Workspace-wide Statuses count.",
    auth: [S],
    query: object({
      kind: LifecycleKind,
      project_id: Type.Optional(Id),
      target_status_id: Type.Optional(Id),
    }),
    returns: CompletionTarget,
    errors: [
      "completion_target_required",
      "completion_target_invalid",
      "completion_target_unavailable",
      "invalid_reference",
    ],
  },
);
