// The lifecycle of Projects as one policy: the initial stage, and the behaviors of each stage.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Category, Color, Id, Name, nullable, object, patch, Revision, resource, single } from "../../types.ts";
import { Behaviors, behaviorsOf } from "../lifecycle/behaviors.ts";

const look = { name: Name(60), color: nullable(Color) };
export const ProjectStage = object({
  id: Id,
  revision: Revision,
  ...look,
  category: Category,
  position: Type.Integer(),
  behaviors: Behaviors,
  state_ids: Type.Array(Id, { description: "Ids of the states that are bound to the stage, in workflow order." }),
});
export const ProjectLifecycleFields = object({
  ...resource,
  default_state_id: nullable(Id),
  stages: Type.Array(ProjectStage),
});
export const ProjectLifecycle = single(ProjectLifecycleFields);

export const getProjectLifecycle = op(
  "GET /workspaces/{workspace_id}/project-lifecycle",
  "Read the Project lifecycle",
  {
    description: "Returns the stages in presentation order.",
    auth: [S],
    returns: ProjectLifecycle,
  },
);

export const updateProjectLifecycle = op(
  "PATCH /workspaces/{workspace_id}/project-lifecycle",
  "Change the Project lifecycle",
  {
    description:
      "Stages and fields that are omitted stay as they are. A new Project starts in the default state, " +
      "whose stage must accept new work; null leaves it without one. If Projects are in a stage whose " +
      "behaviors change, `acknowledged` must be true.",
    auth: [S],
    ifMatch: "required",
    body: patch({
      default_state_id: nullable(Id),
      stages: Type.Array(
        object({
          id: Id,
          name: Type.Optional(look.name),
          color: Type.Optional(look.color),
          behaviors: Type.Optional(behaviorsOf("project")),
        }),
        { minItems: 1, maxItems: 100 },
      ),
      acknowledged: Type.Boolean(),
    }),
    example: { default_state_id: null },
    returns: ProjectLifecycle,
    errors: ["invalid_reference", "name_taken", "lifecycle_acknowledgement_required"],
  },
);
