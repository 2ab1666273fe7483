// What is believed of a delivery: who did it, as whom something is done for them, and how it is at the provider now. Where the provider signs no time, what is delivered may be old:
// then its own word of today counts, and while it cannot be asked nothing is done.
import type { Call } from "../../assistant/tools/calling.ts";
import { callingAs } from "./acting.ts";
import { ProviderFault } from "./asking.ts";
import { isRecentEnough, isStill } from "./binding-rules.ts";
import { type Bound, linkedTo } from "./happening-store.ts";
import { asked, type Of, type Place, resourceOf, within } from "./place.ts";
import type { By, Party } from "./provider.ts";

/** As whom something is done for them; null where nobody knows them: they are neither linked, nor may they write there. */
export async function actingFor(place: Place, bound: readonly Bound[], by: By | null): Promise<Call | null> {
  if (!by) return null;
  const linked = by.unproven ? undefined : await within(place, (tx) => linkedTo(tx, place.installation, by.externalId));
  if (linked) return callingIn(place, bound, linked.user_id);
  return (by.writes ?? (await collaborates(place, bound, by))) ? callingIn(place, bound, null) : null;
}
/** As the installation itself where there is no account. */
export const callingIn = (
  { host, workspaceId, installation, signal }: Place,
  bound: readonly Bound[],
  userId: string | null,
) => callingAs(host, { workspaceId, installationId: installation.id, resourceId: resourceOf(bound), userId }, signal);

/** For so long an answer counts: who was let in or put out there is known a minute later. */
const KNOWN_MS = 60_000;
const MOST_KNOWN = 10_000;
const known = new Map<string, { may: boolean; until: number }>();

/** Whether they may write to the resource there, as the provider says. */
async function collaborates(place: Place, bound: readonly Bound[], by: By): Promise<boolean> {
  const { connection } = place.provider;
  if (!connection.collaborates) return false;
  const [first] = bound as [Bound, ...Bound[]];
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
/** Whom the provider does not find, or does not tell us of, is a stranger. */
function nobody(error: unknown): false {
  if (error instanceof ProviderFault && (error.code === "resource_missing" || error.code === "refused")) return false;
  throw error;
}

/** What never becomes anything else once it is there. */
const SETTLED = new Set(["commit"]);

/** What was delivered, as it is now; null where it is gone. A step that is not so any more, or that was long ago, leads nowhere. */
export async function asItIsNow(
  place: Place,
  bound: readonly Bound[],
  told: Of<"entity">,
): Promise<Of<"entity"> | null> {
  const { webhook, connection } = place.provider;
  const { look } = connection;
  const { entity } = told;
  if (webhook?.age !== null || !look || SETTLED.has(entity.kind)) return told;
  const [first] = bound as [Bound, ...Bound[]];
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
/** Whoever the delivery names, where the provider says the same; else whom it names, or nobody is known to have done it. */
function doerOf(told: By | null, doer: Party | null | undefined): By | null {
  if (told && doer?.externalId === told.externalId) return told;
  const { externalId, name } = doer ?? told ?? {};
  return externalId === undefined || name === undefined ? null : { externalId, name, unproven: true };
}

/** What was said, as it stands at the provider where a delivery does not prove it; null where it is not there, or not for everybody. */
export async function asItIsSaid(
  place: Place,
  bound: readonly Bound[],
  told: Of<"comment">,
): Promise<Pick<Of<"comment">, "comment" | "by"> | null> {
  const { hear } = place.provider.connection;
  if (!hear) return told;
  const { on, comment } = told;
  const [first] = bound as [Bound, ...Bound[]];
  const said = await asked(place, bound, ({ ask }) => hear(ask, first.resource, on, comment.externalId).catch(gone));
  return said ? { comment: { ...comment, text: said.text }, by: said.by } : null;
}
function gone(error: unknown): null {
  if (error instanceof ProviderFault && error.code === "resource_missing") return null;
  throw error;
}
