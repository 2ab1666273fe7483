// The stages that Milestones go through: one catalog in a Workspace, read and replaced as a whole.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Category, Color, Id, Name, nullable, object, Revision, resource, single } from "../../types.ts";
import { Behaviors, behaviorsOf } from "./behaviors.ts";

export const MilestoneStage = object({
  id: Id,
  name: Name(60),
  category: Category,
  color: nullable(Color),
  position: Type.Integer(),
  behaviors: Behaviors,
  revision: Revision,
});
export const MilestoneLifecycleFields = object({ ...resource, stages: Type.Array(MilestoneStage) });
export const MilestoneLifecycle = single(MilestoneLifecycleFields);

export const getMilestoneLifecycle = op(
  "GET /workspaces/{workspace_id}/milestone-lifecycle",
  "Read the stages of Milestones",
  { auth: [S], returns: MilestoneLifecycle },
);

const NewStage = object({
  id: Type.Optional(Id),
  name: Name(60),
  category: Category,
  color: Type.Optional(nullable(Color)),
  behaviors: Type.Optional(behaviorsOf("milestone")),
  replaces: Type.Optional(
    Type.Array(Id, { maxItems: 100, description: "Removed stages whose Milestones move into this one." }),
  ),
});

export const replaceMilestoneLifecycle = op(
  "PUT /workspaces/{workspace_id}/milestone-lifecycle",
  "Replace the stages of Milestones",
  {
    description:
      "Takes the stages in their new order. A stage with an id is replaced by what is sent: an omitted " +
      "field gets its default, an omitted behavior that of the category. A stage without an id is " +
      "created. A stage that is not sent is removed; if Milestones are in it, another stage must name it " +
      "in `replaces`. At most 1,000 Milestones move.",
    auth: [S],
    ifMatch: "required",
    body: object({ stages: Type.Array(NewStage, { minItems: 1, maxItems: 100 }) }),
    example: {
      stages: [
        { name: "Planned", category: "unstarted" },
        { name: "Active", category: "started", color: "blue" },
        { name: "Reached", category: "completed" },
      ],
    },
    returns: MilestoneLifecycle,
    errors: [
      "lifecycle_migration_pending",
      "invalid_reference",
      "name_taken",
      "last_status",
      "milestone_stage_in_use",
      "lifecycle_migration_too_large",
    ],
  },
);
