// Messages between the processes on one database, over PostgreSQL's NOTIFY, which is not durable. A process that
// listens too late, or through a pooler, receives nothing, so messages only speed up what polling would find anyway.
// Each process sends a heartbeat every two seconds and receives its own; a connection without one is replaced.
import { newId } from "../wire/ids.ts";
import { subscribe } from "./notifications.ts";

export interface Channel {
  /** Sends to every other process; does nothing if there is none. */
  say(message: Record<string, unknown>): void;
  hasOthers(): boolean;
  close(): Promise<void>;
}
export interface ChannelListener {
  heard(message: Record<string, unknown>, process: string): void;
  /** The process has sent no heartbeat for a while. */
  left(process: string): void;
  /** The process is new, or sends heartbeats again. */
  joined?(process: string): void;
  /**
   * `up`: messages arrive from now on, the first of every other process within HEARD_MS. `down`: none arrive any more.
   */
  up?(): void;
  down?(): void;
}

const SAY_MS = 2000;
const SILENT_MS = 7000;
export const HEARD_MS = SAY_MS + 500;
/** A NOTIFY payload must be shorter than 8,000 bytes. */
const MOST_BYTES = 7900;

export function openChannel(url: string, name: string, listener: ChannelListener): Channel {
  const self = newId();
  const others = new Map<string, number>();
  /** Time of the last own heartbeat received; 0 without a connection. */
  let heardSelf = 0;
  let isUp = false;
  const notifications = subscribe(url, name, {
    notified: hear,
    connected() {
      heardSelf = Date.now();
      send({});
    },
    disconnected() {
      heardSelf = 0;
      if (isUp) listener.down?.();
      isUp = false;
    },
  });

  function hear(payload: string) {
    const { from, ...message } = JSON.parse(payload) as Record<string, unknown> & { from: string };
    if (from === self) {
      heardSelf = Date.now();
      // Waits for its own heartbeat, because some poolers forward NOTIFY but never deliver notifications.
      if (!isUp) listener.up?.();
      isUp = true;
      return;
    }
    const isNew = !others.has(from);
    others.set(from, Date.now());
    // Introduces this process to a sender that may not know it yet.
    if (isNew) {
      send({});
      listener.joined?.(from);
    }
    if (Object.keys(message).length > 0) listener.heard(message, from);
  }

  function send(message: Record<string, unknown>) {
    const payload = JSON.stringify({ from: self, ...message });
    if (heardSelf === 0 || Buffer.byteLength(payload) > MOST_BYTES) return;
    notifications.notify(name, payload).catch(() => {});
  }

  const timer = setInterval(() => {
    const now = Date.now();
    for (const [other, heard] of others)
      if (now - heard > SILENT_MS) {
        others.delete(other);
        listener.left(other);
      }
    if (heardSelf > 0 && now - heardSelf > SILENT_MS) notifications.reset();
    else send({});
  }, SAY_MS);
  timer.unref();

  return {
    say(message) {
      if (others.size > 0) send(message);
    },
    hasOthers: () => others.size > 0,
    async close() {
      clearInterval(timer);
      await notifications.unsubscribe();
    },
  };
}
