// Relays presence between processes: the latest per client, several times a second.
import type { Channel } from "../../../platform/database/channel.ts";
import type { Presence } from "./frames.ts";

export interface Said {
  text: string;
  number?: number;
  asks?: boolean;
  presences?: Presence[];
}
const EVERY_MS = 50;

export class PresenceRelay {
  private readonly channel: Channel;
  /** Latest presences to publish, by text and client. */
  private readonly waiting = new Map<string, Map<number, Presence>>();

  constructor(channel: Channel) {
    this.channel = channel;
  }
  tell(targetId: string, presences: readonly Presence[]): void {
    if (presences.length === 0 || !this.channel.hasOthers()) return;
    const known = this.waiting.get(targetId);
    const latest = known ?? new Map<number, Presence>();
    for (const presence of presences) latest.set(presence.client, presence);
    if (known) return;
    this.waiting.set(targetId, latest);
    setTimeout(() => {
      this.waiting.delete(targetId);
      for (const presence of latest.values()) this.channel.say({ text: targetId, presences: [presence] });
    }, EVERY_MS).unref();
  }
}
