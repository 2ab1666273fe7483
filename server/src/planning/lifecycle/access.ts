// Access rules of lifecycle definitions and migrations: members of the Workspace, by role.
import type { LifecycleKind } from "@svc/contract/planning/lifecycle/behaviors.ts";
import { may, type WorkspaceCapability } from "../../accounts/workspaces/rules.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";
import type { MigrationState } from "./rules.ts";
import { migrationView } from "./view.ts";

const byRole = <Target>(capability: WorkspaceCapability, load: Access<Target>["load"]): Access<Target> => ({
  reach: "membership",
  load,
  permits: ({ member }) => may(member.role, capability),
});

export interface LifecycleTarget {
  id: string;
  kind: LifecycleKind;
  revision: string;
}
const DEFINITION = `
select d.id, d.kind, d.revision::text from lifecycle_definitions d
where d.workspace_id = current_workspace() and d.id = $1`;
const loadDefinition = (sql: string) => (tx: Queries, params: Record<string, string>) =>
  tx.maybe<LifecycleTarget>(sql, [params.definition_id]);

/** Reads the definition without a lock. */
export const definition = (capability: WorkspaceCapability) => byRole(capability, loadDefinition(DEFINITION));
/**
 * Locks the definition and its bindings against changes until the commit: writers of bindings lock this row
 * exclusively.
 */
export const settledDefinition = (capability: WorkspaceCapability) =>
  byRole(capability, loadDefinition(`${DEFINITION} for share`));

export interface MigrationTarget {
  id: string;
  state: MigrationState;
  definition_id: string;
  kind: LifecycleKind;
  mapping: Record<string, string>;
  revision: string;
  json: string;
}
const MIGRATION = `
select j.id, j.state, j.definition_id, d.kind, j.mapping, j.revision::text, ${migrationView} as json
from lifecycle_migrations j join lifecycle_definitions d on d.workspace_id = j.workspace_id and d.id = j.definition_id
where j.workspace_id = current_workspace() and j.id = $1`;
const loadMigration = (sql: string) => (tx: Queries, params: Record<string, string>) =>
  tx.maybe<MigrationTarget>(sql, [params.job_id]);

export const migration = (capability: WorkspaceCapability) => byRole(capability, loadMigration(MIGRATION));
/** A migration in another state is not found. */
export const failedMigration = (capability: WorkspaceCapability) =>
  byRole(capability, loadMigration(`${MIGRATION} and j.state = 'failed' for no key update of j`));
