// A socket, from its welcome to its bye: handles frames in order, one at a time, and answers each of them. An invalid
// frame is answered with an error and the socket stays open; a fault of the socket ends it, and the client can resume.
// It has no timer and no listener of its own, because there are thousands.
import type { ClientFrame, Scope, ServerFrame } from "@svc/contract/surfaces/realtime/frames.ts";
import {
  type Ending,
  endings,
  type FrameError,
  frameErrors,
  type Limits,
} from "@svc/contract/surfaces/realtime/limits.ts";
import type { WebSocket } from "ws";
import { lastChange } from "../../assistant/discuss/store.ts";
import {
  type CursorBinding,
  type JournalPosition,
  journalOf,
  openPlace,
  placeOf,
  type Reset,
  resetOf,
} from "../../platform/database/journal.ts";
import { type Allowance, full, spend } from "../../platform/wire/limits/allowance.ts";
import { sendTo } from "../../platform/wire/sockets/upgrade.ts";
import { resetOfDiscuss } from "./discuss-feed.ts";
import { type Guest, scopesOf } from "./door.ts";
import { frameIn, NoFrame, textOf, unknown } from "./frames.ts";
import type { Observed } from "./presence.ts";
import type { SocketDependencies } from "./socket-dependencies.ts";
import { areMembers } from "./socket-store.ts";
import { seesTask } from "./store.ts";
import { isAhead, RealtimeSubscription } from "./subscription.ts";

type Of<T extends ClientFrame["type"]> = Extract<ClientFrame, { type: T }>;
type Subscribe = Of<"subscribe">;
/** Database state of a subscription that is to begin. */
interface Begun {
  frame: Subscribe;
  bound: CursorBinding;
  from: JournalPosition | null;
  now: JournalPosition;
  reset: Reset | null;
  seen: boolean;
}

export const allowanceOf = (limits: Limits): Allowance => ({
  frames: { second: limits.frames_per_second, most: limits.frames_at_once },
  bytes: { second: limits.frame_bytes, most: 4 * limits.frame_bytes },
});
const RETRY: Partial<Record<Ending, number>> = { rate_limited: 10 };
const OF_RIGHTS: ReadonlySet<Ending> = new Set([
  "session_ended",
  "token_ended",
  "membership_ended",
  "workspace_changed",
]);

export class Socket {
  readonly guest: Guest;
  readonly subscriptions = new Map<string, RealtimeSubscription>();
  /** Observed people, and the subscription that allows it. */
  observes: Observed | null = null;
  /** Time at which it was ended or has left; 0 while it is open. */
  endedAt = 0;
  private readonly channel: WebSocket;
  private readonly house: SocketDependencies;
  private readonly allowed;
  /** Frames that wait for the one in progress. */
  private waiting: ClientFrame[] | null = null;

  constructor(house: SocketDependencies, channel: WebSocket, guest: Guest) {
    this.house = house;
    this.channel = channel;
    this.guest = guest;
    this.allowed = full(house.allowance);
    const { frame_bytes, frames_per_second, subscriptions, observed_users, presence_seconds } = house.limits;
    this.say({
      type: "welcome",
      user_id: guest.userId,
      workspace_id: guest.workspaceId,
      scopes: [...scopesOf(guest)],
      health: house.feed.health(),
      limits: { frame_bytes, frames_per_second, subscriptions, observed_users, presence_seconds },
    });
  }

  // ---- sending ------------------------------------------------------------------------------------------------------

  send(text: string) {
    if (this.endedAt > 0 || sendTo(this.channel, text, this.house.limits.unread_bytes)) return;
    this.end("slow_reader");
  }
  say(frame: ServerFrame) {
    this.send(textOf(frame));
  }
  private fail(code: FrameError, subscriptionId?: string, detail: string = frameErrors[code]) {
    this.say({
      type: "error",
      code,
      detail,
      ...(subscriptionId === undefined ? {} : { subscription_id: subscriptionId }),
    });
  }
  tellHealth() {
    const subscriptions = [...this.subscriptions.values()].map(({ id, place, applied }) => ({
      subscription_id: id,
      told: place.position,
      applied: applied?.position ?? null,
    }));
    this.say({ type: "health", source: this.house.feed.health(), subscriptions });
  }

  /** Sends bye and closes. The client can resume from what it has received. */
  end(code: Ending, retryAfter = RETRY[code] ?? 1) {
    if (this.endedAt > 0) return;
    const last: ServerFrame[] = [{ type: "bye", code, retry_after: retryAfter }];
    if (this.observes && OF_RIGHTS.has(code)) last.unshift(unknown("authorization"));
    this.leave();
    if (this.channel.readyState !== this.channel.OPEN) return;
    for (const frame of last) this.channel.send(textOf(frame));
    this.channel.close(endings[code].close, code);
  }
  /** Terminates a connection that does not close. */
  cut() {
    this.channel.terminate();
  }
  /** Stops receiving and sending. */
  leave() {
    this.endedAt ||= performance.now();
    for (const subscription of this.subscriptions.values()) subscription.stop();
    this.subscriptions.clear();
    this.house.presence.leave(this);
  }
  drop(subscription: RealtimeSubscription) {
    subscription.stop();
    this.subscriptions.delete(subscription.id);
    if (this.observes?.subscriptionId !== subscription.id) return;
    this.house.presence.observe(this, null);
    this.say(unknown("observer"));
  }

  // ---- receiving ----------------------------------------------------------------------------------------------------

  hear(data: Buffer, isBinary: boolean) {
    if (this.endedAt > 0) return;
    if (!spend(this.allowed, this.house.allowance, data.length)) return this.end("rate_limited");
    try {
      const frame = frameIn(data, isBinary);
      if (this.waiting) this.waiting.push(frame);
      else if (frame.type === "subscribe" || frame.type === "presence_observe")
        void this.work([frame]).catch((error) => this.unanswered(error));
      else this.take(frame);
    } catch (error) {
      if (error instanceof NoFrame) this.fail("invalid_frame", error.subscriptionId, error.message.slice(0, 2000));
      else this.unanswered(error);
    }
  }

  /** Handles frames that query the database, and those after them. Consecutive subscriptions share a query. */
  private async work(waiting: ClientFrame[]) {
    this.waiting = waiting;
    await undefined;
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        if (this.endedAt > 0) return;
        if (next.type === "subscribe") {
          const together = [next];
          while (waiting[0]?.type === "subscribe") together.push(waiting.shift() as Subscribe);
          await this.subscribe(together);
        } else if (next.type === "presence_observe") await this.observe(next);
        else this.take(next);
      }
    } finally {
      this.waiting = null;
    }
  }

  private take(frame: ClientFrame) {
    switch (frame.type) {
      case "ping":
        return this.say({ type: "pong" });
      case "unsubscribe": {
        const subscription = this.subscriptions.get(frame.subscription_id);
        return subscription ? this.drop(subscription) : this.fail("unknown_subscription", frame.subscription_id);
      }
      case "ack":
        return this.ack(frame);
      case "presence_renew":
        if (this.applies(frame)) this.house.presence.renew(this);
    }
  }

  private ack({ subscription_id, cursor }: Of<"ack">) {
    const subscription = this.subscriptions.get(subscription_id);
    if (!subscription) return this.fail("unknown_subscription", subscription_id);
    const place = subscription.opened(cursor);
    if (!place) return this.fail("invalid_cursor", subscription_id);
    if (!subscription.applied || isAhead(place, subscription.applied)) subscription.applied = place;
  }

  /** Whether the frame names a subscription to the Workspace, and an applied cursor of it. */
  private applies({ subscription_id, cursor }: Of<"presence_renew" | "presence_observe">): boolean {
    const subscription = this.subscriptions.get(subscription_id);
    const place = subscription?.opened(cursor);
    if (!subscription) this.fail("unknown_subscription", subscription_id);
    else if (!place) this.fail("invalid_cursor", subscription_id);
    else if (subscription.bound.scope !== "workspace" || !subscription.hasApplied(place))
      this.fail("not_applied", subscription_id);
    else return true;
    return false;
  }

  private async observe(frame: Of<"presence_observe">) {
    if (!this.applies(frame)) return;
    const { subscription_id: subscriptionId, user_ids } = frame;
    const userIds = new Set(user_ids.map((id) => id.toLowerCase()));
    const ask = () => this.house.asked(this.guest, async (tx) => areMembers(tx, [...userIds]));
    const members = userIds.size === 0 || (await ask().catch((error) => this.unanswered(error, subscriptionId)));
    if (members === undefined || this.endedAt > 0 || !this.subscriptions.has(subscriptionId)) return;
    if (!members) return this.fail("not_a_member", subscriptionId);
    this.house.presence.observe(this, userIds.size === 0 ? null : { subscriptionId, userIds });
  }
  private unanswered(error: unknown, subscriptionId?: string): undefined {
    this.house.log.warn({ err: error }, "a frame was not answered");
    this.fail("unavailable", subscriptionId);
  }

  // ---- subscribing --------------------------------------------------------------------------------------------------

  private async subscribe(frames: readonly Subscribe[]) {
    const asked = frames.filter((frame, at) => {
      const twin = frames.slice(0, at).some(({ subscription_id }) => subscription_id === frame.subscription_id);
      const code = twin ? "subscription_exists" : this.objection(frame);
      if (code) this.fail(code, frame.subscription_id);
      return code === null;
    });
    const begun = asked.flatMap((frame) => this.from(frame) ?? []);
    if (begun.length === 0) return;
    try {
      const found = await this.house.asked(this.guest, (tx) =>
        Promise.all(
          begun.map(async ({ frame, bound, from }): Promise<Begun> => {
            const isDiscuss = bound.scope === "discuss";
            const [now, reset, seen, last] = await Promise.all([
              placeOf(tx, journalOf(bound)),
              from && (isDiscuss ? resetOfDiscuss(tx, from, this.guest.actorId) : resetOf(tx, from)),
              frame.resource_id === undefined || seesTask(tx, frame.resource_id),
              // Discuss has a sequence of its own instead of journal positions.
              isDiscuss ? lastChange(tx) : null,
            ]);
            const place = last ? { ...now, position: last.sequence, token: last.token } : now;
            return { frame, bound, from, now: place, reset, seen };
          }),
        ),
      );
      for (const each of found) this.begin(each);
    } catch (error) {
      for (const { frame } of begun) this.unanswered(error, frame.subscription_id);
    }
  }

  private objection({ subscription_id, scope }: Subscribe): FrameError | null {
    if (this.subscriptions.has(subscription_id)) return "subscription_exists";
    if (this.subscriptions.size >= this.house.limits.subscriptions) return "too_many_subscriptions";
    return scopesOf(this.guest).includes(scope as Scope) ? null : "scope_not_allowed";
  }

  /** Null if the cursor is invalid, which is reported to the client. */
  private from(frame: Subscribe): { frame: Subscribe; bound: CursorBinding; from: JournalPosition | null } | null {
    const { workspaceId, userId, holderId } = this.guest;
    const { subscription_id, scope, resource_id, cursor } = frame;
    const bound = { workspaceId, userId, holderId, scope, resourceId: resource_id?.toLowerCase() ?? null };
    const from = cursor === undefined ? null : openPlace(this.house.cursors, bound, cursor);
    if (cursor === undefined || from) return { frame, bound, from };
    this.say({ type: "reset", subscription_id, reason: "invalid_cursor" });
    return null;
  }

  private begin({ frame: { subscription_id }, bound, from, now, reset, seen }: Begun) {
    if (this.endedAt > 0) return;
    if (!seen) return this.fail("not_found", subscription_id);
    if (reset) return this.say({ type: "reset", subscription_id, reason: reset });
    // Earlier ones of the same batch count.
    if (this.subscriptions.size >= this.house.limits.subscriptions)
      return this.fail("too_many_subscriptions", subscription_id);
    const subscription = new RealtimeSubscription(this, this.house.cursors, subscription_id, bound, from ?? now);
    this.subscriptions.set(subscription_id, subscription);
    this.say({ type: "subscribed", subscription_id, cursor: subscription.cursor() });
    if (this.endedAt === 0) subscription.stop = this.house.follow(subscription);
  }
}
