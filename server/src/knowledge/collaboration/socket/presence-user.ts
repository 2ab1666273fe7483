// Appearance of an editor to the others. Name and color come from the server, not from the editor. Pure.
import type { EditorPeer } from "./peer.ts";

const COLORS = ["#c2410c", "#b45309", "#4d7c0f", "#047857", "#0e7490", "#1d4ed8", "#6d28d9", "#a21caf", "#be123c"];
/** A person has the same color everywhere. */
export const userOf = ({ actorId, name }: EditorPeer) => ({
  actor_id: actorId,
  name,
  color: COLORS[Number.parseInt(actorId.slice(-6), 16) % COLORS.length],
});
