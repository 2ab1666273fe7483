// What the processes on one database tell each other, and nobody keeps: PostgreSQL's NOTIFY. Whoever listens too late, or across a pooler of connections, hears
// nothing, so what is said here only makes something faster that would be noticed anyway. A connection that has gone silent is replaced: each
// process says every two seconds that it is there, and hears itself.
import pg from "pg";
import { newId } from "../wire/ids.ts";

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
const AGAIN_MS = 500;
export const HEARD_MS = SAY_MS + 500;
/** PostgreSQL takes less than 8,000 bytes. */
const MOST_BYTES = 7900;

export function openChannel(url: string, name: string, listener: Listener): Channel {
  const self = newId();
  const others = new Map<string, number>();
  let client: pg.Client | null = null;
  let heardSelf = 0;
  let closed = false;
  let isUp = false;
  let last: Promise<unknown> = Promise.resolve();

  function connect() {
    if (closed) return;
    const connecting = new pg.Client({
      connectionString: url,
      application_name: "svc-channel",
      connectionTimeoutMillis: SILENT_MS,
      query_timeout: SILENT_MS,
      options: "-c synchronous_commit=off",
    });
    const lost = () => {
      if (client === connecting) {
        client = null;
        if (isUp) listener.down?.();
        isUp = false;
      }
      connecting.removeAllListeners("end");
      void connecting.end().catch(() => {});
      if (!closed) setTimeout(connect, AGAIN_MS).unref();
    };
    connecting.on("error", () => {});
    connecting.once("end", lost);
    connecting.on("notification", ({ payload = "" }) => hear(payload));
    connecting
      .connect()
      .then(() => connecting.query(`listen ${name}`))
      .then(() => {
        client = connecting;
        heardSelf = Date.now();
        send({});
      })
      .catch(lost);
  }

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
    if (!client || Buffer.byteLength(payload) > MOST_BYTES) return;
    last = last.then(() => client?.query("select pg_notify($1, $2)", [name, payload])).catch(() => {});
  }

  const timer = setInterval(() => {
    const now = Date.now();
    for (const [other, heard] of others)
      if (now - heard > SILENT_MS) {
        others.delete(other);
        listener.left(other);
      }
    if (client && now - heardSelf > SILENT_MS) {
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      return;
    }
    send({});
  }, SAY_MS);
  timer.unref();
  connect();

  return {
    say(message) {
      if (others.size > 0) send(message);
    },
    hasOthers: () => others.size > 0,
    async close() {
      closed = true;
      clearInterval(timer);
      // What was said last is heard.
      await Promise.race([last, new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref())]);
      await client?.end().catch(() => {});
    },
  };
}
