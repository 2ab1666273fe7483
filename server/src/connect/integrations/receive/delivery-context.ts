// Context of a delivery: its installation, its provider and the bindings. Calls to the provider are made outside every
// transaction.
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { Pool } from "../../../platform/database/db.ts";
import type { Host } from "../../../platform/kernel/http.ts";
import { sha256 } from "../../../platform/wire/ids.ts";
import type { Bound, Installed } from "../apply/apply-event-store.ts";
import type { Happened, Provider } from "../client/provider.ts";
import {
  noteFault,
  noteResource,
  noteWorks,
  type Reached,
  type Reaching,
  reach,
} from "../client/provider-connection.ts";
import { ProviderFault } from "../client/provider-http.ts";
import { rulesOf } from "../install/binding-rules.ts";
import type { Rules } from "../rules.ts";

/** Calls the provider and gives the turn to others meanwhile. */
export type Outside = <T>(ask: () => Promise<T>) => Promise<T>;

export interface Place {
  writer: Pool;
  host: Host;
  reaching: Reaching;
  outside: Outside;
  workspaceId: string;
  installation: Installed;
  provider: Provider;
  /** Id of the delivery, and of each replay: steps that are repeated for it have one effect. */
  cause: string;
  signal: AbortSignal;
  /** Cache of bindings by kind and resource, shared by the deliveries that are worked together. */
  bound: Map<string, readonly Bound[]>;
}
export type Of<What extends Happened["what"]> = Extract<Happened, { what: What }>;

export const within = <T>({ writer, workspaceId }: Place, work: Parameters<typeof inWorkspace<T>>[2]): Promise<T> =>
  inWorkspace(writer, workspaceId, work);
export const projectsOf = (bound: readonly Bound[]) => bound.map(({ project_id }) => project_id);
export const resourceOf = (bound: readonly Bound[]) => (bound[0] as Bound).resource_id;
export const ruledBy = (bound: readonly Bound[], projectId: string): Rules =>
  rulesOf(bound.find(({ project_id }) => project_id === projectId)?.rules ?? {});
/** Idempotency key of a step that is done once for this delivery. */
export const keyFor = ({ cause }: Pick<Place, "cause">, ...what: string[]) =>
  `integration-${sha256([cause, ...what].join("\n")).toString("base64url")}`;

/** Asks the provider about the resource; undefined if it cannot be asked any more. Throws on a temporary failure. */
export async function asked<T>(place: Place, bound: readonly Bound[], question: (reached: Reached) => Promise<T>) {
  const { reaching, workspaceId, installation } = place;
  const [first] = bound as [Bound, ...Bound[]];
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
