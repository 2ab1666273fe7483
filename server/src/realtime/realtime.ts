// Following changes, put together: the sockets that the feed tells, and the door that they come through.

import { pathOf } from "@svc/contract/kit.ts";
import { limits, PROTOCOL } from "@svc/contract/realtime/limits.ts";
import type { Database } from "../database/db.ts";
import { decide, type Host } from "../kernel/http.ts";
import type { CursorSigner } from "../wire/cursor.ts";
import type { Log } from "../wire/log.ts";
import type { Door } from "../wire/upgrade.ts";
import { type Guest, guestOf, openRealtime as implementation } from "./door.ts";
import type { Feed } from "./feed.ts";
import { openSockets, type Tuning } from "./sockets.ts";

export type { Tuning } from "./sockets.ts";
export interface Parts {
  database: Database;
  databaseUrl: string;
  feed: Feed;
  cursors: CursorSigner;
  log: Log;
}

export function openRealtime(parts: Parts, tuning: Tuning = {}) {
  const sockets = openSockets(parts, tuning);
  return {
    sockets: sockets.count,
    subscriptions: sockets.subscriptions,
    door: (host: Host): Door => ({
      path: pathOf(implementation.operation),
      protocol: PROTOCOL,
      mostBytes: tuning.limits?.frame_bytes ?? limits.frame_bytes,
      async enter(request) {
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
