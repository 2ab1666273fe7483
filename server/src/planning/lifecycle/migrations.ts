// Lifecycle migration jobs: read, and retry a failed one.
import * as contract from "@svc/contract/planning/lifecycle/migrations.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { failedMigration, migration } from "./access.ts";
import { lifecycleMigrationStarted } from "./events.ts";
import { restartMigration } from "./migration-store.ts";
import { migrationCapabilities, stillUsable } from "./rules.ts";
import { boundTo } from "./store.ts";

export const getLifecycleMigration = implement(
  contract.getLifecycleMigration,
  migration("workspace:read"),
  async ({ member }, { target }) => render(target, migrationCapabilities(member.role, target.state)),
);

export const retryLifecycleMigration = implement(
  contract.retryLifecycleMigration,
  failedMigration("workspace:manage"),
  async ({ tx, member, record, enqueue }, { target }) => {
    const { id, definition_id, kind, mapping } = target;
    const found = await boundTo(tx, { id: definition_id, kind }, Object.values(mapping));
    if (!stillUsable(mapping, found)) refuse("lifecycle_preview_stale");
    const row = await restartMigration(tx, id);
    enqueue("migrate_lifecycle", { workspace_id: member.workspaceId, id });
    record(lifecycleMigrationStarted({ kind: "lifecycle_migration", id }, { definition_id }));
    return render(row, migrationCapabilities(member.role, "pending"));
  },
);
