// Mappings from source to destination Statuses, states or stages. A preview reports the effects, and applying a mapping
// fails if anything has changed since the preview.
import Type, { type Static, type TSchema } from "typebox";
import { exampleId } from "../../examples.ts";
import { op, S } from "../../kit.ts";
import { Id, object, Revision } from "../../types.ts";
import { behaviorKeys } from "./behaviors.ts";
import { LifecycleMigration } from "./migrations.ts";

const UUID = "^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
/** An object whose keys are ids: 1 to 500, the size of a definition. */
const byId = <X extends TSchema>(values: X, example: Record<string, Static<X>>, description: string) =>
  Type.Unsafe<Record<string, Static<X>>>({
    type: "object",
    minProperties: 1,
    maxProperties: 500,
    patternProperties: { [UUID]: values },
    additionalProperties: false,
    examples: [example],
    description,
  });
const [source, destination] = [exampleId("source_id"), exampleId("destination_id")];
const Mapping = byId(
  Id,
  { [source]: destination },
  "Destination id by source id: Statuses of the Task definition, states of the Project definition, " +
    "stages of the Milestone definition.",
);
const DestinationRevisions = byId(
  Revision,
  { [destination]: "1" },
  "Revision of every destination, by destination id.",
);

const Capped = Type.Boolean({ description: "Whether the count is a minimum." });
const Entities = Type.Integer({ minimum: 0, maximum: 10_000, description: "Counted up to 10,000." });
export const LifecycleMappingPreview = object({
  definition_id: Id,
  source_revision: Revision,
  destination_revisions: DestinationRevisions,
  impact: object({
    total: Entities,
    capped: Capped,
    sources: Type.Array(object({ source_id: Id, destination_id: Id, count: Entities, capped: Capped })),
  }),
  behavior_changes: Type.Array(
    object({
      source_id: Id,
      destination_id: Id,
      behavior: Type.Enum([...behaviorKeys]),
      before: Type.Boolean(),
      after: Type.Boolean(),
    }),
  ),
  acknowledgement_required: Type.Boolean({
    description: "Whether the behavior of something to be moved would change.",
  }),
});

const MAPPING_RULES =
  "A Project's own Status can move to a Workspace-wide one or to another of the same Project, never " +
  "the other way round.";

export const previewLifecycleMapping = op(
  "POST /workspaces/{workspace_id}/lifecycle-definitions/{definition_id}/mapping-previews",
  "Preview a lifecycle mapping",
  {
    description: MAPPING_RULES,
    auth: [S],
    ifMatch: "required",
    body: object({ mapping: Mapping }),
    returns: LifecycleMappingPreview,
    quiet: "A preview changes nothing.",
    errors: ["invalid_reference"],
  },
);

export const applyLifecycleMapping = op(
  "POST /workspaces/{workspace_id}/lifecycle-definitions/{definition_id}/mapping-applications",
  "Apply a lifecycle mapping",
  {
    description:
      `Moves everything out of the sources of the mapping. ${MAPPING_RULES} Up to 1,000 entities are ` +
      "moved at once. More entities, or locked ones, are moved in the background: 202.",
    auth: [S],
    accepted: true,
    idempotencyKey: "required",
    body: object({
      mapping: Mapping,
      source_revision: Revision,
      destination_revisions: DestinationRevisions,
      acknowledged: Type.Optional(Type.Boolean()),
    }),
    returns: LifecycleMigration,
    errors: [
      "invalid_reference",
      "lifecycle_preview_stale",
      "lifecycle_acknowledgement_required",
      "lifecycle_migration_pending",
    ],
  },
);
