// The one connection of a process that listens for PostgreSQL's NOTIFY, shared by all channels of a database. A single
// loop opens it, so that two attempts never run at once, whatever fails and however often it is reported. It opens with
// the first channel and closes with the last.
import { setTimeout as sleep } from "node:timers/promises";
import { CONNECT_MS, DatabaseClient, reachabilityOf } from "./connections/client.ts";
import { appSession } from "./connections/session.ts";

export interface Subscriber {
  notified(payload: string): void;
  connected(): void;
  disconnected(): void;
}
export interface Notifications {
  /** Resolves when PostgreSQL has accepted the message; does nothing without a connection. */
  notify(name: string, payload: string): Promise<void>;
  /** Replaces a connection that stopped answering. */
  reset(): void;
  unsubscribe(): Promise<void>;
}

/** Each process has exactly one connection of this name on a database. */
export const SESSION = appSession("svc-channel", { synchronous_commit: "off" });
const QUERY_MS = 7000;
/** Longest wait on close for the last messages to reach PostgreSQL. */
const FLUSH_MS = 500;
const BACKOFF_MS = [250, 2000] as const;

const shared = new Map<string, Line>();

export function subscribe(url: string, name: string, subscriber: Subscriber): Notifications {
  const line = shared.get(url) ?? new Line(url);
  shared.set(url, line);
  const subscription = { name, subscriber };
  line.add(subscription);
  return {
    notify: (channel, payload) => line.notify(channel, payload),
    reset: () => line.reset(),
    async unsubscribe() {
      line.subscriptions.delete(subscription);
      if (line.subscriptions.size > 0) return;
      shared.delete(url);
      await line.close();
    },
  };
}

interface Subscription {
  name: string;
  subscriber: Subscriber;
}

class Line {
  readonly subscriptions = new Set<Subscription>();
  private readonly url: string;
  private readonly closing = new AbortController();
  private client: DatabaseClient | null = null;
  private running: Promise<void> | null = null;
  /** Serialises the statements: the driver runs one at a time. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(url: string) {
    this.url = url;
  }

  add(subscription: Subscription) {
    this.subscriptions.add(subscription);
    this.running ??= this.run();
    const { client } = this;
    if (!client) return;
    this.send(`listen ${subscription.name}`).then(
      () => client === this.client && subscription.subscriber.connected(),
      () => this.reset(),
    );
  }

  private send(sql: string, values: string[] = []): Promise<unknown> {
    const sent = this.last.then(() => this.client?.query(sql, values));
    this.last = sent.catch(() => {});
    return sent;
  }

  private async run(): Promise<void> {
    for (let backoffMs: number = BACKOFF_MS[0]; !this.closing.signal.aborted; ) {
      const began = performance.now();
      await this.listen().catch(() => {});
      // Resets the back-off after a connection that lasted a while.
      backoffMs = performance.now() - began > BACKOFF_MS[1] ? BACKOFF_MS[0] : Math.min(backoffMs * 2, BACKOFF_MS[1]);
      await this.pause(backoffMs * (0.5 + 0.5 * Math.random())).catch(() => {});
    }
  }

  /** Waits until the database can be reached again, or for `forMs` if it can be reached now. */
  private async pause(forMs: number): Promise<void> {
    const { signal } = this.closing;
    if (signal.aborted) return;
    const reach = reachabilityOf(this.url);
    if (reach.isOpen()) return sleep(forMs, undefined, { ref: false, signal });
    const opened = Promise.withResolvers<void>();
    const unobserve = reach.observe({ opened: opened.resolve });
    signal.addEventListener("abort", () => opened.resolve(), { once: true });
    await opened.promise;
    unobserve();
  }

  /** Resolves when the connection ends. */
  private async listen(): Promise<void> {
    const client = new DatabaseClient({
      url: this.url,
      session: SESSION,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_MS,
    });
    const ended = new Promise<void>((resolve) => client.once("end", resolve));
    client.on("notification", ({ channel, payload = "" }) => {
      for (const { name, subscriber } of this.subscriptions) if (name === channel) subscriber.notified(payload);
    });
    await client.connect();
    try {
      const names = () => new Set([...this.subscriptions].map(({ name }) => `listen ${name}`));
      await client.query([...names()].join("; "));
      if (this.closing.signal.aborted) return;
      this.client = client;
      for (const { subscriber } of this.subscriptions) subscriber.connected();
      await ended;
    } finally {
      this.client = null;
      void client.end().catch(() => {});
      for (const { subscriber } of this.subscriptions) subscriber.disconnected();
    }
  }

  async notify(name: string, payload: string): Promise<void> {
    await this.send("select pg_notify($1, $2)", [name, payload]);
  }
  reset() {
    this.client?.connection.stream.destroy();
  }
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.race([this.last, sleep(FLUSH_MS, undefined, { ref: false })]);
    await this.client?.end().catch(() => {});
    // A running attempt to connect ends by itself.
    await Promise.race([this.running, sleep(FLUSH_MS, undefined, { ref: false })]);
  }
}
