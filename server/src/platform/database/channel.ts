// What the processes on one database tell each other, and nobody keeps: PostgreSQL's NOTIFY. Whoever listens too late, or across a pooler of connections, hears
// nothing, so what is said here only makes something faster that would be noticed anyway. A connection that has gone silent is replaced: each
// process says every two seconds that it is there, and hears itself.
import { newId } from "../wire/ids.ts";
import { subscribe } from "./notifications.ts";

export interface Channel {
  /** To every other process; nothing where there is none. */
  say(message: Record<string, unknown>): void;
  hasOthers(): boolean;
  close(): Promise<void>;
}
export interface Listener {
  heard(message: Record<string, unknown>, process: string): void;
  /** It has not been heard for a while. */
  left(process: string): void;
  /** It was not heard before, or not for a while. */
  joined?(process: string): void;
  /** From now on everything is heard, and each of the others within HEARD_MS; or nothing any more. */
  up?(): void;
  down?(): void;
}

const SAY_MS = 2000;
const SILENT_MS = 7000;
export const HEARD_MS = SAY_MS + 500;
/** PostgreSQL takes less than 8,000 bytes. */
const MOST_BYTES = 7900;

export function openChannel(url: string, name: string, listener: Listener): Channel {
  const self = newId();
  const others = new Map<string, number>();
  /** 0 without a connection. */
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
      // Behind some poolers one can say and hears nothing.
      if (!isUp) listener.up?.();
      isUp = true;
      return;
    }
    const isNew = !others.has(from);
    others.set(from, Date.now());
    // It may not know of us yet.
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
