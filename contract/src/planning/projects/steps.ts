// Declarations that Statuses and project states share. Both are steps of a workflow, a Status of Tasks and a state of
// Projects, and both are bound to a stage of their kind's lifecycle, whose behaviors apply to the work in it.
import Type from "typebox";
import { Category, Color, Id, Name, nullable, object, patch, Timestamp } from "../../types.ts";
import { LifecyclePolicy } from "../lifecycle/behaviors.ts";

export const stepFields = {
  name: Name(60),
  category: Category,
  color: nullable(Color),
  position: Type.Integer({ description: "Order within the category, ascending." }),
  archived_at: nullable(Timestamp),
  lifecycle: LifecyclePolicy,
};

const acknowledged = Type.Boolean({
  description: "Confirms that the behavior of existing work changes; required if it does.",
});

export const NewStep = object({
  name: stepFields.name,
  category: Category,
  color: Type.Optional(stepFields.color),
  stage_id: Type.Optional(Id),
});
export const StepChange = patch({
  name: stepFields.name,
  color: stepFields.color,
  category: Category,
  stage_id: Id,
  acknowledged,
});
export const StepReplacement = object({ replacement_id: Id, acknowledged: Type.Optional(acknowledged) });

/** Descriptions of the operations on steps, for the rules that both kinds share. */
export const words = {
  create:
    "It becomes the last one in its category. Without stage_id, it is bound to the first stage of the " +
    "category that does not await review.",
  update:
    "Another category or stage changes how the work in it behaves. If it does and there is work in it, " +
    "`acknowledged` must be true.",
  archive:
    "Moves everything in it, trash included, to the replacement, redirects all references to the " +
    "replacement, and archives it: it is then left out of lists, releases its name and is read-only. " +
    "Returns the archived one. Moves at most 1,000 at once; use mapping-applications for more.",
  remove:
    "Refused if anything, even in the trash, is in it, or if anything refers to it: use " +
    "archive-and-replace instead.",
  move: "Moves it within its category and among those of the same scope.",
};
export const stepErrors = {
  create: ["name_taken", "limit_reached", "invalid_reference"],
  update: [
    ...(["name_taken", "invalid_reference", "status_archived", "last_status"] as const),
    ...([
      "lifecycle_acknowledgement_required",
      "lifecycle_migration_pending",
      "lifecycle_migration_too_large",
    ] as const),
  ],
  archive: [
    ...(["invalid_reference", "status_archived", "last_status"] as const),
    ...([
      "lifecycle_acknowledgement_required",
      "lifecycle_migration_pending",
      "lifecycle_migration_too_large",
    ] as const),
  ],
  remove: ["status_in_use", "last_status", "lifecycle_migration_pending"],
  move: ["status_archived", "invalid_reference"],
} as const;
