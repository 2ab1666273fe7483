// How an editor appears to the others: name and colour come from the service and not from the editor. Pure.
import type { Peer } from "./peer.ts";

const COLORS = ["#c2410c", "#b45309", "#4d7c0f", "#047857", "#0e7490", "#1d4ed8", "#6d28d9", "#a21caf", "#be123c"];
/** The same person has the same colour everywhere. */
export const userOf = ({ actorId, name }: Peer) => ({
  actor_id: actorId,
  name,
  color: COLORS[Number.parseInt(actorId.slice(-6), 16) % COLORS.length],
});
