// Follows changes over one socket: reads a baseline, is told what came since, has it applied in order and acknowledges it. Where the socket ends it comes back by
// itself and goes on behind what was applied last; where that cannot be told any more it reads a new baseline. Nothing is missed; some of it may be told twice.
import { type ClientOptions, waitMs } from "./call.ts";
import type { RealtimeChange, Scope, ServerFrame } from "./frames.ts";

export interface Followed {
  scope: Scope;
  /** The Task; with task_comments, and only then. */
  resource_id?: string;
}
export interface Following {
  /** Reads the state anew and answers with its cursor: at the beginning, and whenever what came since cannot be told. */
  baseline(reason: string): Promise<string>;
  /** Reads again what has changed. It is acknowledged when this ends, and told again where it fails. */
  changed(changes: readonly RealtimeChange[]): Promise<void> | void;
  /** Everything up to this cursor is applied: whoever keeps it goes on from there at the next visit, by answering `baseline` with it. */
  applied?(cursor: string): void;
}
export interface RealtimeOptions {
  /** connecting: not told of anything just now; ended: for good, and why. */
  onState?: (state: "connecting" | "live" | "ended", reason: string) => void;
  /** How the service's own source of changes is. */
  onHealth?: (health: Extract<ServerFrame, { type: "health" }>["source"]) => void;
  /** Everybody who is observed, or null where nothing is known. */
  onPresence?: (online: Readonly<Record<string, boolean>> | null) => void;
  /** Where there is no WebSocket, or one that cannot send headers. */
  open?: (url: string, protocol: string, headers: Record<string, string>) => Channel;
}
/** As much of a WebSocket as is needed. */
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
  /** Whom to know about; under a workspace subscription. */
  observe(userIds: readonly string[]): void;
  close(): void;
}

const PROTOCOL = "svc.realtime.v1";
/** After which coming back makes no sense: somebody has to sign in, or be let in again. */
const FOR_GOOD = new Set(["session_ended", "membership_ended", "workspace_changed"]);
const RENEW_MS = 15_000;
const SILENT_MS = 30_000;

interface Subscription {
  id: string;
  what: Followed;
  how: Following;
  /** Behind what was applied last; null until there is a baseline. */
  cursor: string | null;
  /** What is to be done, in order. */
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

  /** One after the other; what fails is begun again from a baseline. */
  function queue(subscription: Subscription, work: () => Promise<void> | void) {
    subscription.work = subscription.work.then(work).catch(() => later(subscription, "failed"));
  }
  /** Under another id: what was told under the old one, and is still on its way, is nobody's. */
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
      // Whoever is not let in is not told why: the next token is worth one attempt.
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
        // Behind what is still to be applied.
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

  /** Whether this socket has said that somebody is there, and whom they observe. */
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
    // A connection that has gone silent looks open for a long time.
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

/** Node and Bun take headers with it; a browser sends its own. */
function opened(url: string, protocol: string, headers: Record<string, string>): Channel {
  const { WebSocket } = globalThis as unknown as { WebSocket: new (url: string, options: unknown) => Channel };
  return new WebSocket(url, Object.keys(headers).length > 0 ? { protocols: [protocol], headers } : [protocol]);
}
