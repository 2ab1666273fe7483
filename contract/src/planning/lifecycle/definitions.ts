// The lifecycle of each kind of entity: its stages, their behaviors, and the Statuses or states bound to them.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Category, Color, Id, nullable, object, Revision, resource } from "../../types.ts";
import { Behaviors, behaviorKeys, LifecycleKind } from "./behaviors.ts";

export const LifecycleBehavior = object({
  key: Type.Enum([...behaviorKeys]),
  kinds: Type.Array(LifecycleKind, { description: "Kinds that the behavior applies to." }),
  consumer: Type.String({ description: "The part of the service that implements the behavior." }),
  description: Type.String(),
});
export const LifecycleBehaviors = object({ items: Type.Array(LifecycleBehavior) });

export const listLifecycleBehaviors = op("GET /lifecycle-behaviors", "List every behavior that a stage can have", {
  description: "The list is the same for everybody until the service is updated.",
  auth: [S],
  returns: LifecycleBehaviors,
});

export const LifecycleStage = object({
  id: Id,
  revision: Revision,
  name: Type.String(),
  category: Category,
  color: nullable(Color),
  position: Type.Integer(),
  behaviors: Behaviors,
  statuses: Type.Array(object({ id: Id, name: Type.String(), color: nullable(Color), revision: Revision }), {
    description:
      "Workspace-wide Statuses, or states of Projects, that are bound to the stage, in workflow order. A " +
      "Milestone is in the stage itself.",
  }),
});
export const LifecycleDefinition = object({
  ...resource,
  kind: LifecycleKind,
  name: Type.String(),
  stages: Type.Array(LifecycleStage),
});
export const LifecycleDefinitions = object({ items: Type.Array(LifecycleDefinition) });

export const listLifecycleDefinitions = op(
  "GET /workspaces/{workspace_id}/lifecycle-definitions",
  "List the lifecycle of each kind",
  {
    description:
      "Returns one definition for each kind, its stages in presentation order. The list has no pages: at " +
      "most 100 stages and 500 statuses each.",
    auth: [S],
    query: object({ kind: Type.Optional(LifecycleKind) }),
    returns: LifecycleDefinitions,
  },
);
