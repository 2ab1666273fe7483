// Migration jobs that move work from some Statuses, states or stages to others. A job moves work in pages and reports
// its progress.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, resource, single, Timestamp } from "../../types.ts";

export const migrationStates = ["pending", "processing", "retry", "completed", "failed"] as const;
/** Reasons why a job waits for a retry or has failed; the log has the cause. */
export const migrationErrors = ["destination_unavailable", "busy", "internal"] as const;
export type MigrationError = (typeof migrationErrors)[number];

export const LifecycleMigrationRow = object({
  ...resource,
  definition_id: Id,
  state: Type.Enum([...migrationStates]),
  progress: object({
    total: Type.Integer({
      description:
        "Number of entities as far as it is known; entities that enter a source during the migration are added.",
    }),
    moved: Type.Integer(),
    percent: Type.Integer({ minimum: 0, maximum: 100 }),
  }),
  error_code: Type.Unsafe<MigrationError | null>({
    type: ["string", "null"],
    enum: [...migrationErrors, null],
    description:
      "destination_unavailable: a destination was archived or deleted. busy: entities to be moved stayed " +
      "locked. internal: our fault.",
  }),
  finished_at: nullable(Timestamp),
});
export const LifecycleMigration = single(LifecycleMigrationRow);

export const getLifecycleMigration = op(
  "GET /workspaces/{workspace_id}/lifecycle-migrations/{job_id}",
  "Read a lifecycle migration job",
  { auth: [S], returns: LifecycleMigration },
);

export const retryLifecycleMigration = op(
  "POST /workspaces/{workspace_id}/lifecycle-migrations/{job_id}/retry",
  "Retry a failed lifecycle migration job",
  {
    description: "Retries a failed job only. Entities that it has moved stay moved.",
    auth: [S],
    status: 202,
    returns: LifecycleMigration,
    errors: ["lifecycle_migration_pending", "lifecycle_preview_stale"],
  },
);
