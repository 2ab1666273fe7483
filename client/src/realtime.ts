// Realtime subscriptions over one socket: reads a baseline, receives later changes, applies them in order and
// acknowledges them. After a disconnect it reconnects and resumes behind the last applied change; if the service cannot
// resume, it reads a new baseline. Delivery is at least once.
import { type ClientOptions, waitMs } from "./call.ts";
import type { RealtimeChange, Scope, ServerFrame } from "./frames.ts";

export interface Followed {
  scope: Scope;
  /** Id of the Task; only for task_comments, where it is required. */
  resource_id?: string;
}
export interface Following {
  /** Reads the full state and resolves to its cursor: at the start, and whenever the service cannot resume. */
  baseline(reason: string): Promise<string>;
  /**
   * Reads the changed resources again. The changes are acknowledged when it resolves, and delivered again if it
   * rejects.
   */
  changed(changes: readonly RealtimeChange[]): Promise<void> | void;
  /**
   * Called when everything up to this cursor is applied. A client that stores it can resume on its next start by
   * returning it from `baseline`.
   */
  applied?(cursor: string): void;
}
export interface RealtimeOptions {
  /** connecting: currently receives no changes; ended: permanently, with the reason. */
  onState?: (state: "connecting" | "live" | "ended", reason: string) => void;
  /** Health of the service's own source of changes. */
  onHealth?: (health: Extract<ServerFrame, { type: "health" }>["source"]) => void;
  /** Online status of all observed people, or null if it is unknown. */
  onPresence?: (online: Readonly<Record<string, boolean>> | null) => void;
  /** Opens the socket in environments without a WebSocket, or with one that cannot send headers. */
  open?: (url: string, protocol: string, headers: Record<string, string>) => Channel;
}
/** The part of a WebSocket that is used here. */
export interface Channel {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  onerror: (() => void) | null;
}

export interface Realtime {
  follow(what: Followed, how: Following): { close(): void };
  /** People whose online status is observed; needs a workspace subscription. */
  observe(userIds: readonly string[]): void;
  close(): void;
}

const PROTOCOL = "svc.realtime.v1";
/** Reasons after which reconnecting is useless: the person must sign in, or be granted access again. */
const FOR_GOOD = new Set(["session_ended", "membership_ended", "workspace_changed"]);
const RENEW_MS = 15_000;
const SILENT_MS = 30_000;

interface Subscription {
  id: string;
  what: Followed;
  how: Following;
  /** Cursor of the last applied change; null until there is a baseline. */
  cursor: string | null;
  /** Queue of this subscription's work, in order. */
  work: Promise<unknown>;
}

export function realtime(client: ClientOptions, options: RealtimeOptions = {}): Realtime {
  const subscriptions = new Map<string, Subscription>();
  let channel: Channel | null = null;
  let [ready, closed, attempt, count] = [false, false, 0, 0];
  let refused = false;
  let heardAt = 0;
  let observed: readonly string[] = [];
  let again: ReturnType<typeof setTimeout> | undefined;

  const say = (frame: Record<string, unknown>) => ready && channel?.send(JSON.stringify(frame));
  const subscribe = ({ id, what, cursor }: Subscription) =>
    cursor !== null && say({ type: "subscribe", subscription_id: id, ...what, cursor });
  const ofWorkspace = () => [...subscriptions.values()].find(({ what }) => what.scope === "workspace");

  /** Runs the work in order; a failure restarts from a baseline. */
  function queue(subscription: Subscription, work: () => Promise<void> | void) {
    subscription.work = subscription.work.then(work).catch(() => later(subscription, "failed"));
  }
  /** Uses a new subscription id, so that frames still in flight for the old one are ignored. */
  async function begin(subscription: Subscription, reason: string) {
    if (!subscriptions.delete(subscription.id)) return;
    subscription.cursor = null;
    subscription.id = `s${++count}`;
    subscriptions.set(subscription.id, subscription);
    const cursor = await subscription.how.baseline(reason);
    if (!subscriptions.has(subscription.id)) return;
    subscription.cursor = cursor;
    subscribe(subscription);
  }
  function later(subscription: Subscription, reason: string) {
    subscription.cursor = null;
    say({ type: "unsubscribe", subscription_id: subscription.id });
    setTimeout(() => queue(subscription, () => begin(subscription, reason)), waitMs(3, null));
  }

  async function connect() {
    clearTimeout(again);
    if (closed || channel) return;
    options.onState?.("connecting", "");
    const headers: Record<string, string> = { ...client.headers };
    try {
      if (client.token !== undefined) {
        const token = typeof client.token === "string" ? client.token : await client.token(refused);
        headers.authorization = `Bearer ${token}`;
        if (client.workspaceId) headers["x-svc-workspace-id"] = client.workspaceId;
      }
      refused = false;
      if (!closed && !channel) attend((options.open ?? opened)(addressOf(client), PROTOCOL, headers));
    } catch {
      comeBack(null);
    }
  }
  function comeBack(retryAfter: number | null) {
    clearTimeout(again);
    again = setTimeout(() => void connect(), waitMs(Math.min(++attempt, 8), retryAfter));
  }

  function attend(opening: Channel) {
    channel = opening;
    let retryAfter: number | null = null;
    let bye = "";
    heardAt = Date.now();
    announced = false;
    const over = () => {
      if (channel !== opening) return;
      const wasReady = ready;
      channel = null;
      ready = false;
      options.onPresence?.(null);
      if (closed) return;
      if (FOR_GOOD.has(bye)) return end(bye);
      // A refused upgrade has no readable reason: retry once with a renewed token.
      refused = bye === "token_ended" || (!wasReady && attempt === 0);
      comeBack(retryAfter);
    };
    opening.onclose = over;
    opening.onerror = over;
    opening.onmessage = ({ data }) => {
      if (channel !== opening) return;
      heardAt = Date.now();
      const frame = JSON.parse(String(data)) as ServerFrame;
      if (frame.type === "bye") [bye, retryAfter] = [frame.code, frame.retry_after];
      else take(frame);
    };
  }

  function take(frame: ServerFrame) {
    const subscription = "subscription_id" in frame ? subscriptions.get(frame.subscription_id ?? "") : undefined;
    switch (frame.type) {
      case "welcome":
        [ready, attempt] = [true, 0];
        options.onHealth?.(frame.health);
        options.onState?.("live", "");
        // Subscribes after the queued changes are applied.
        for (const each of subscriptions.values()) queue(each, () => void subscribe(each));
        break;
      case "subscribed":
        if (subscription) queue(subscription, () => acknowledge(subscription, frame.cursor));
        break;
      case "change":
        if (subscription)
          queue(subscription, async () => {
            if (subscription.cursor === null || subscription.id !== frame.subscription_id) return;
            if (frame.changes.length > 0) await subscription.how.changed(frame.changes);
            acknowledge(subscription, frame.cursor);
          });
        break;
      case "reset":
        if (subscription) queue(subscription, () => begin(subscription, frame.reason));
        break;
      case "error":
        if (subscription && frame.code === "unavailable") later(subscription, "unavailable");
        break;
      case "health":
        options.onHealth?.(frame.source);
        break;
      case "presence":
        options.onPresence?.(frame.online);
        break;
      case "presence_unknown":
        options.onPresence?.(null);
        announced = false;
    }
  }
  function acknowledge(subscription: Subscription, cursor: string) {
    subscription.cursor = cursor;
    say({ type: "ack", subscription_id: subscription.id, cursor });
    subscription.how.applied?.(cursor);
    if (subscription === ofWorkspace() && !announced) announce(true);
  }

  /** True once this socket has sent presence and the people to observe. */
  let announced = false;
  function announce(observes: boolean) {
    const subscription = ofWorkspace();
    if (!ready || !subscription || subscription.cursor === null) return;
    const under = { subscription_id: subscription.id, cursor: subscription.cursor };
    if (!announced || !observes) say({ type: "presence_renew", ...under });
    if (observes && (announced || observed.length > 0)) say({ type: "presence_observe", ...under, user_ids: observed });
    announced = true;
  }
  const timer = setInterval(() => {
    announce(!announced);
    // A silent connection can look open for a long time.
    if (channel && Date.now() - heardAt > SILENT_MS) channel.close();
    else if (Date.now() - heardAt > RENEW_MS) say({ type: "ping" });
  }, RENEW_MS);

  function end(reason: string) {
    if (closed) return;
    closed = true;
    clearInterval(timer);
    clearTimeout(again);
    subscriptions.clear();
    channel?.close();
    options.onState?.("ended", reason);
  }

  return {
    follow(what, how) {
      const subscription: Subscription = { id: `s${++count}`, what, how, cursor: null, work: Promise.resolve() };
      subscriptions.set(subscription.id, subscription);
      queue(subscription, () => begin(subscription, "begin"));
      void connect();
      return {
        close() {
          if (subscriptions.delete(subscription.id)) say({ type: "unsubscribe", subscription_id: subscription.id });
        },
      };
    },
    observe(userIds) {
      observed = [...userIds];
      if (announced) announce(true);
    },
    close: () => end("closed"),
  };
}

const addressOf = ({ url }: ClientOptions) => {
  const origin = url || (globalThis as { location?: { origin: string } }).location?.origin || "";
  return `${origin.replace(/^http/, "ws").replace(/\/$/, "")}/api/v1/realtime`;
};

/** Node and Bun accept headers; a browser sends its own. */
function opened(url: string, protocol: string, headers: Record<string, string>): Channel {
  const { WebSocket } = globalThis as unknown as { WebSocket: new (url: string, options: unknown) => Channel };
  return new WebSocket(url, Object.keys(headers).length > 0 ? { protocols: [protocol], headers } : [protocol]);
}
