// Relays presence between processes: the latest per client, several times a second.
import type { Channel } from "../../../platform/database/channel.ts";
import type { EditorPresence } from "./frames.ts";

export interface PresenceMessage {
  text: string;
  number?: number;
  asks?: boolean;
  presences?: EditorPresence[];
}
const EVERY_MS = 50;

export class PresenceRelay {
  private readonly channel: Channel;
  /** Latest presences to publish, by text and client. */
  private readonly waiting = new Map<string, Map<number, EditorPresence>>();

  constructor(channel: Channel) {
    this.channel = channel;
  }
  tell(targetId: string, presences: readonly EditorPresence[]): void {
    if (presences.length === 0 || !this.channel.hasOthers()) return;
    const known = this.waiting.get(targetId);
    const latest = known ?? new Map<number, EditorPresence>();
    for (const presence of presences) latest.set(presence.client, presence);
    if (known) return;
    this.waiting.set(targetId, latest);
    setTimeout(() => {
      this.waiting.delete(targetId);
      for (const presence of latest.values()) this.channel.say({ text: targetId, presences: [presence] });
    }, EVERY_MS).unref();
  }
}
