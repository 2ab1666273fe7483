// Composes realtime: the feed, its sockets, and their admission.
import { setTimeout as sleep } from "node:timers/promises";
import { pathOf } from "@svc/contract/kit.ts";
import { limits, PROTOCOL } from "@svc/contract/surfaces/realtime/limits.ts";
import type { Database } from "../../platform/database/db.ts";
import { decide, type Host } from "../../platform/kernel/http.ts";
import type { CursorSigner } from "../../platform/wire/cursor.ts";
import { pace } from "../../platform/wire/limits/pace.ts";
import type { Log } from "../../platform/wire/log.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import type { Door } from "../../platform/wire/sockets/upgrade.ts";
import { type Guest, guestOf, openRealtime as implementation } from "./door.ts";
import type { Feed } from "./feed.ts";
import { openSockets, type Tuning } from "./sockets.ts";

export type { Tuning } from "./sockets.ts";
export interface RealtimeParts {
  database: Database;
  databaseUrl: string;
  feed: Feed;
  cursors: CursorSigner;
  log: Log;
}

export function openRealtime(parts: RealtimeParts, tuning: Tuning = {}) {
  const sockets = openSockets(parts, tuning);
  const bounds = { ...limits, ...tuning.limits };
  const { opened_at_once: atOnce, opened_per_second: aSecond, opening_seconds } = bounds;
  const next = pace({ atOnce, aSecond, mostMs: 1000 * opening_seconds });
  const crowded = { refusal: new Refusal("overloaded", { retry_after: Math.ceil(opening_seconds) }), take: () => {} };
  return {
    sockets: sockets.count,
    subscriptions: sockets.subscriptions,
    door: (host: Host): Door => ({
      path: pathOf(implementation.operation),
      protocol: PROTOCOL,
      mostBytes: bounds.frame_bytes,
      async enter(request) {
        const wait = next();
        if (wait === null) return crowded;
        if (wait > 0) await sleep(wait);
        let guest: Guest | null = null;
        const { refusal, headers, seen } = await decide(host, implementation, request, {}, (call) => {
          guest = guestOf(call);
          sockets.reserve(guest, request.socket);
        });
        seen();
        return { refusal, headers, take: (channel) => guest && sockets.take(channel, guest) };
      },
    }),
    close: sockets.close,
  };
}
