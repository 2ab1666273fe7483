// Verification of a delivery: who did it, the caller to act as, and the present state at the provider. If the provider
// signs no time, a delivery may be a replay: then the provider's present answer counts, and nothing is done while it
// cannot be asked.
import type { OperationCaller } from "../../../assistant/tools/operation-calls.ts";
import { type EventBinding, linkedTo } from "../apply/apply-event-store.ts";
import type { By, Party } from "../client/provider.ts";
import { ProviderFault } from "../client/provider-http.ts";
import { isRecentEnough, isStill } from "../install/binding-rules.ts";
import { callingAs } from "./delivery-actor.ts";
import { asked, type DeliveryContext, type Of, resourceOf, within } from "./delivery-context.ts";

/** Caller to act as for them; null if they are neither linked nor may write there. */
export async function actingFor(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  by: By | null,
): Promise<OperationCaller | null> {
  if (!by) return null;
  const linked = by.unproven ? undefined : await within(place, (tx) => linkedTo(tx, place.installation, by.externalId));
  if (linked) return callingIn(place, bound, linked.user_id);
  return (by.writes ?? (await collaborates(place, bound, by))) ? callingIn(place, bound, null) : null;
}
/** Acts as the installation itself if there is no account. */
export const callingIn = (
  { host, workspaceId, installation, signal }: DeliveryContext,
  bound: readonly EventBinding[],
  userId: string | null,
) => callingAs(host, { workspaceId, installationId: installation.id, resourceId: resourceOf(bound), userId }, signal);

/** Milliseconds for which an answer is cached: a change of access there takes effect a minute later. */
const KNOWN_MS = 60_000;
const MOST_KNOWN = 10_000;
const known = new Map<string, { may: boolean; until: number }>();

/** Asks the provider whether they may write to the resource there. */
async function collaborates(place: DeliveryContext, bound: readonly EventBinding[], by: By): Promise<boolean> {
  const { connection } = place.provider;
  if (!connection.collaborates) return false;
  const [first] = bound as [EventBinding, ...EventBinding[]];
  const key = [first.resource_id, by.externalId, by.name].join("\n");
  const before = known.get(key);
  if (before && before.until > Date.now()) return before.may;
  const ask = connection.collaborates;
  const may = await asked(place, bound, ({ ask: way }) => ask(way, first.resource, by).catch(nobody));
  known.delete(key);
  known.set(key, { may: may === true, until: Date.now() + KNOWN_MS });
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  return may === true;
}
/** A person whom the provider does not find, or does not show us, is a stranger. */
function nobody(error: unknown): false {
  if (error instanceof ProviderFault && (error.code === "resource_missing" || error.code === "refused")) return false;
  throw error;
}

/** Kinds of entities that never change once they exist. */
const SETTLED = new Set(["commit"]);

/**
 * The delivered entity in its present state; null if it is gone. A step that no longer holds, or is too old, is
 * dropped.
 */
export async function asItIsNow(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  told: Of<"entity">,
): Promise<Of<"entity"> | null> {
  const { webhook, connection } = place.provider;
  const { look } = connection;
  const { entity } = told;
  if (webhook?.age !== null || !look || SETTLED.has(entity.kind)) return told;
  const [first] = bound as [EventBinding, ...EventBinding[]];
  const now = await asked(place, bound, ({ ask }) => look(ask, first.resource, entity).catch(gone));
  if (!now) return now === null && entity.state === "deleted" ? told : null;
  const { texts, doers, ...shown } = now;
  const holds = isStill(told.step, shown.state) && isRecentEnough(entity.changedAt, new Date());
  const step = holds ? told.step : null;
  return {
    ...told,
    entity: shown,
    ...(texts && { texts }),
    step,
    by: doers ? doerOf(told.by, step && doers[step]) : told.by,
  };
}
/**
 * The person that the delivery names, if the provider confirms it; else the provider's or the delivery's as unproven.
 */
function doerOf(told: By | null, doer: Party | null | undefined): By | null {
  if (told && doer?.externalId === told.externalId) return told;
  const { externalId, name } = doer ?? told ?? {};
  return externalId === undefined || name === undefined ? null : { externalId, name, unproven: true };
}

/**
 * The delivered comment as it is at the provider, if a delivery does not prove it; null if it is gone or not public.
 */
export async function asItIsSaid(
  place: DeliveryContext,
  bound: readonly EventBinding[],
  told: Of<"comment">,
): Promise<Pick<Of<"comment">, "comment" | "by"> | null> {
  const { hear } = place.provider.connection;
  if (!hear) return told;
  const { on, comment } = told;
  const [first] = bound as [EventBinding, ...EventBinding[]];
  const said = await asked(place, bound, ({ ask }) => hear(ask, first.resource, on, comment.externalId).catch(gone));
  return said ? { comment: { ...comment, text: said.text }, by: said.by } : null;
}
function gone(error: unknown): null {
  if (error instanceof ProviderFault && error.code === "resource_missing") return null;
  throw error;
}
