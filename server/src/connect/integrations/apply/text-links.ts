// Shows the provider entities that a Task's text links to: reads their present state and replaces the former one.
// Idempotent.
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { Entity } from "../client/provider.ts";
import { noteFault, noteWorks, type Reaching, reach } from "../client/provider-connection.ts";
import { ProviderFault } from "../client/provider-http.ts";
import { linkedPlace } from "../send/outbound-notification-store.ts";
import { showAt } from "./link-entities.ts";

export interface LinkedEntity {
  workspace_id: string;
  task_id: string;
  installation_id: string;
  resource_id: string;
  kind: Entity["kind"];
  external_id: string;
}

/** Throws if another attempt may help. */
export async function showLinked(parts: Reaching, linked: LinkedEntity, attempt = 1): Promise<void> {
  const { workspace_id: workspaceId, installation_id: installationId } = linked;
  const write = <T>(work: Parameters<typeof inWorkspace<T>>[2]) =>
    inWorkspace(parts.database.writer, workspaceId, work);
  try {
    const [reached, place] = [
      await reach(parts, workspaceId, installationId),
      await write((tx) => linkedPlace(tx, linked.task_id, linked.resource_id)),
    ];
    const look = reached?.provider.connection.look;
    // The resource was unbound, or the Task was moved, since the text was written.
    if (!reached || !place || !look) return;
    const entity = await look(reached.ask, place.resource, { kind: linked.kind, externalId: linked.external_id });
    await noteWorks(parts, workspaceId, installationId);
    if (!entity) return;
    const from = { installationId, resourceId: linked.resource_id, providerKey: reached.provider.key };
    const task = { id: linked.task_id, project_id: place.project_id };
    await write((tx) => showAt(tx, { workspaceId, actorId: reached.actor_id, from }, [task], entity));
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    await noteFault(parts, workspaceId, installationId, error);
    if (PASSING.has(error.code) && attempt < MOST_ATTEMPTS) throw error;
  }
}
const PASSING = new Set(["unreachable", "rate_limited"]);
const MOST_ATTEMPTS = 8;
