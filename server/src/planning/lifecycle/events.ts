// Events of lifecycles and their migrations.
import { event } from "../../platform/kernel/events.ts";

export const milestoneLifecycleReplaced = event("milestone_lifecycle.replaced");
export const lifecycleMigrationStarted = event("lifecycle_migration.started");
export const lifecycleMigrationCompleted = event("lifecycle_migration.completed");
export const lifecycleMigrationFailed = event("lifecycle_migration.failed");
