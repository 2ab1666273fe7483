// The bare socket of a follower, for benchmarks and storms: as a browser with this session opens it, and nothing on
// top.
import { PROTOCOL } from "@svc/contract/surfaces/realtime/limits.ts";
import { WebSocket } from "ws";
import { csrfTokenOf } from "../src/platform/wire/ids.ts";

export type { WebSocket } from "ws";
export const followerSocket = (port: number, session: string): WebSocket =>
  new WebSocket(`ws://127.0.0.1:${port}/api/v1/realtime`, PROTOCOL, {
    headers: {
      cookie: `__Host-svc_session=${session}; __Host-svc_csrf=${csrfTokenOf(session)}`,
      origin: `http://localhost:${port}`,
    },
    perMessageDeflate: false,
    handshakeTimeout: 120_000,
  });
