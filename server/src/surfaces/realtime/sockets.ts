// The sockets of this process: their limits, their owners, and whether they may stay open. One query checks that
// repeatedly for all of them, so that no event has to announce the end of a right.
import type { Socket as Connection } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Ending, type Limits, limits } from "@svc/contract/surfaces/realtime/limits.ts";
import type { WebSocket } from "ws";
import type { Database } from "../../platform/database/db.ts";
import type { CursorSigner } from "../../platform/wire/cursor.ts";
import { gate } from "../../platform/wire/limits/concurrency-limit.ts";
import { Tally } from "../../platform/wire/limits/tally.ts";
import type { Log } from "../../platform/wire/log.ts";
import { refuse } from "../../platform/wire/problem.ts";
import type { Guest } from "./door.ts";
import type { Feed } from "./feed.ts";
import { PresenceTracker } from "./presence.ts";
import { allowanceOf, Socket } from "./socket.ts";
import type { SocketDependencies } from "./socket-dependencies.ts";
import { asGuest, endedAmong, type SocketEndReason } from "./socket-store.ts";

export interface SocketPace {
  /** Interval of the checks whether sockets may stay open. */
  watchMs: number;
}
const PACE: SocketPace = { watchMs: 700 };
/** Milliseconds until a socket that was ended but has not closed is terminated; less if all have to close. */
const PATIENCE_MS = 10_000;
const DRAIN_MS = 2000;
/** Spreads the reconnects of clients that were ended together. */
const SPREAD_SECONDS = 5;
const soon = () => 1 + Math.floor(Math.random() * SPREAD_SECONDS);

const socketOf = new Map<WebSocket, Socket>();
function hear(this: WebSocket, data: Buffer, isBinary: boolean) {
  socketOf.get(this)?.hear(data, isBinary);
}

interface Parts {
  database: Database;
  databaseUrl: string;
  feed: Feed;
  cursors: CursorSigner;
  log: Log;
}
/** Parts that a test replaces. */
export interface Tuning {
  limits?: Partial<Limits>;
  pace?: Partial<SocketPace>;
}

export function openSockets({ database, databaseUrl, feed, cursors, log }: Parts, tuning: Tuning = {}) {
  const bounds: Limits = { ...limits, ...tuning.limits };
  const { watchMs } = { ...PACE, ...tuning.pace };
  const presence = new PresenceTracker(databaseUrl, bounds.presence_seconds);
  // Limits concurrent queries: a thousand sockets that reconnect at once leave the database to requests.
  const inTurn = gate(4, 4 * bounds.sockets_per_process);
  const house: SocketDependencies = {
    database,
    feed,
    cursors,
    presence,
    log,
    limits: bounds,
    allowance: allowanceOf(bounds),
    follow(subscription) {
      const stop = feed.follow(subscription);
      followed++;
      return () => {
        stop();
        followed--;
      };
    },
    asked: (guest, work) => {
      const tenant = guest.workspaceId ?? guest.userId;
      return inTurn(tenant, () =>
        database.reader.use(async (tx) => (await Promise.all([asGuest(tx, guest), work(tx)]))[1], tenant),
      );
    },
  };
  const all = new Set<Socket>();
  const [people, workspaces] = [new Tally(), new Tally()];
  let question: ReturnType<typeof questionOf> | null = null;
  let [open, followed] = [0, 0];
  let closed = false;

  function gone(this: WebSocket) {
    const socket = socketOf.get(this);
    if (!socket) return;
    socketOf.delete(this);
    all.delete(socket);
    question = null;
    socket.leave();
  }
  function count({ userId, workspaceId }: Guest, by: 1 | -1) {
    open += by;
    people.add(userId, by);
    if (workspaceId !== null) workspaces.add(workspaceId, by);
  }
  async function look() {
    for (const socket of all) if (socket.endedAt > 0 && performance.now() - socket.endedAt > PATIENCE_MS) socket.cut();
    if (all.size === 0) return;
    question ??= questionOf(all);
    const { sockets, asked } = question;
    const ended = await database.reader.use((tx) => endedAmong(tx, asked));
    for (const { place, reason } of ended)
      for (const socket of sockets[place - 1] ?? []) socket.end(endingOf(socket.guest, reason));
  }
  async function watch() {
    while (!closed) {
      await sleep(watchMs, undefined, { ref: false });
      await look().catch((error) => log.warn({ err: error }, "nobody's rights were looked at"));
    }
  }
  void watch();
  feed.onHealth(() => {
    for (const socket of all) socket.tellHealth();
  });

  return {
    /** Reserves a slot for one more socket, until its connection ends; refuses if there is none. */
    reserve(guest: Guest, connection: Connection) {
      const { userId, workspaceId } = guest;
      if (open >= bounds.sockets_per_process || connection.destroyed) refuse("overloaded", { retry_after: soon() });
      const crowded =
        people.of(userId) >= bounds.sockets_per_person ||
        (workspaceId !== null && workspaces.of(workspaceId) >= bounds.sockets_per_workspace);
      if (crowded) refuse("too_many_sockets", { retry_after: soon() });
      count(guest, 1);
      connection.once("close", () => count(guest, -1));
    },
    take(channel: WebSocket, guest: Guest) {
      const socket = new Socket(house, channel, guest);
      socketOf.set(channel, socket);
      all.add(socket);
      question = null;
      channel.on("message", hear);
      channel.on("close", gone);
    },
    count: () => all.size,
    subscriptions: () => followed,
    /** Sends bye to all sockets and closes them. */
    async close() {
      closed = true;
      for (const socket of all) socket.end("draining", soon());
      for (const until = performance.now() + DRAIN_MS; all.size > 0 && performance.now() < until; ) await sleep(20);
      for (const socket of all) socket.cut();
      await presence.close();
    },
  };
}

const endingOf = ({ kind }: Guest, reason: SocketEndReason): Ending =>
  reason === "membership"
    ? "membership_ended"
    : reason === "workspace"
      ? "workspace_changed"
      : kind === "session"
        ? "session_ended"
        : "token_ended";

/** Parameters of the check. Sockets of one credential in one Workspace are checked once. */
function questionOf(all: ReadonlySet<Socket>) {
  const groups = Map.groupBy(all, ({ guest }) => `${guest.credentialId} ${guest.workspaceId}`);
  const sockets = [...groups.values()];
  const each = (read: (guest: Guest) => string | null) =>
    `{${sockets.map(([socket]) => read((socket as Socket).guest) ?? "NULL").join()}}`;
  return {
    sockets,
    asked: {
      credentials: each(({ credentialId }) => credentialId),
      workspaces: each(({ workspaceId }) => workspaceId),
      users: each(({ userId }) => userId),
    },
  };
}
