// Context of a delivery: its installation, its provider and the bindings. Calls to the provider are made outside every
// transaction.
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { Pool } from "../../../platform/database/db.ts";
import type { Host } from "../../../platform/kernel/http.ts";
import { sha256 } from "../../../platform/wire/ids.ts";
import type { EventBinding, Installed } from "../apply/apply-event-store.ts";
import type { ProviderDefinition, ResourceEvent } from "../client/provider.ts";
import {
  type InstallationConnection,
  noteFault,
  noteResource,
  noteWorks,
  type Reaching,
  reach,
} from "../client/provider-connection.ts";
import { ProviderFault } from "../client/provider-http.ts";
import { rulesOf } from "../install/binding-rules.ts";
import type { ResourceRules } from "../rules.ts";

/** Calls the provider and gives the turn to others meanwhile. */
export type ProviderCaller = <T>(ask: () => Promise<T>) => Promise<T>;

export interface DeliveryContext {
  writer: Pool;
  host: Host;
  reaching: Reaching;
  outside: ProviderCaller;
  workspaceId: string;
  installation: Installed;
  provider: ProviderDefinition;
  /** Id of the delivery, and of each replay: steps that are repeated for it have one effect. */
  cause: string;
  signal: AbortSignal;
  /** Cache of bindings by kind and resource, shared by the deliveries that are worked together. */
  bound: Map<string, readonly EventBinding[]>;
}
export type Of<What extends ResourceEvent["what"]> = Extract<ResourceEvent, { what: What }>;

export const within = <T>(
  { writer, workspaceId }: DeliveryContext,
  work: Parameters<typeof inWorkspace<T>>[2],
): Promise<T> => inWorkspace(writer, workspaceId, work);
export const projectsOf = (bound: readonly EventBinding[]) => bound.map(({ project_id }) => project_id);
export const resourceOf = (bound: readonly EventBinding[]) => (bound[0] as EventBinding).resource_id;
export const ruledBy = (bound: readonly EventBinding[], projectId: string): ResourceRules =>
  rulesOf(bound.find(({ project_id }) => project_id === projectId)?.rules ?? {});
/** Idempotency key of a step that is done once for this delivery. */
export const keyFor = ({ cause }: Pick<DeliveryContext, "cause">, ...what: string[]) =>
  `integration-${sha256([cause, ...what].join("\n")).toString("base64url")}`;

/** Asks the provider about the resource; undefined if it cannot be asked any more. Throws on a temporary failure. */
export async function asked<T>(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  question: (reached: InstallationConnection) => Promise<T>,
) {
  const { reaching, workspaceId, installation } = place;
  const [first] = bound as [EventBinding, ...EventBinding[]];
  try {
    const reached = await place.outside(() => reach(reaching, workspaceId, installation.id));
    if (!reached) return undefined;
    const answer = await place.outside(() => question(reached));
    if (installation.state === "degraded") await noteWorks(reaching, workspaceId, installation.id);
    if (first.error_code !== null) await noteResource(reaching, workspaceId, first.resource_id, null);
    return answer;
  } catch (error) {
    if (error instanceof ProviderFault && error.code === "refused")
      await noteResource(reaching, workspaceId, first.resource_id, "refused");
    else await noteFault(reaching, workspaceId, installation.id, error);
    throw error;
  }
}
