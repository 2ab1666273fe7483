// Rich entities at Tasks, with the event that one was added or has changed. The transaction is in the Workspace; an
// equal state writes nothing.
import type { Queries } from "../../../platform/database/db.ts";
import type { Fact } from "../../../platform/kernel/events.ts";
import { writeEvents } from "../../../platform/kernel/ledger.ts";
import { newId } from "../../../platform/wire/ids.ts";
import type { Entity } from "../client/provider.ts";
import { richEntityAdded, richEntityChanged } from "./entity-events.ts";
import { type AtTask, type EntitySource, keepEntity } from "./entity-store.ts";

export interface Shower {
  workspaceId: string;
  /** Actor id of the installation. */
  actorId: string;
  from: EntitySource;
}
export const subjectOf = (id: string, taskId: string, projectId: string) => ({
  kind: "rich_entity",
  id,
  taskId,
  projectId,
});
export const commandOf = () => ({
  commandId: newId(),
  author: { userId: null, credentialKind: "integration" as const },
});

/** Stores the entity at the Tasks, and records an event for each that is new or has changed. */
export async function showAt(tx: Queries, shower: Shower, tasks: readonly AtTask[], entity: Entity): Promise<void> {
  await tellShown(tx, shower, await keepAt(tx, shower, tasks, entity));
}
export const tellShown = async (tx: Queries, { workspaceId, actorId }: Shower, facts: readonly Fact[]) => {
  if (facts.length > 0) await writeEvents(tx, commandOf(), workspaceId, actorId, facts);
};
/** Stores the entity and returns the events to record. */
export async function keepAt(tx: Queries, { from }: Shower, tasks: readonly AtTask[], entity: Entity): Promise<Fact[]> {
  const facts: Fact[] = [];
  for (const { id: taskId, project_id: projectId } of tasks) {
    const kept = await keepEntity(tx, taskId, from, entity);
    if (!kept) continue;
    facts.push((kept.made ? richEntityAdded : richEntityChanged)(subjectOf(kept.id, taskId, projectId)));
  }
  return facts;
}
