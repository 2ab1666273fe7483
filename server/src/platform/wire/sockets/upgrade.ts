// WebSocket upgrades: a request is checked before the upgrade, so that a refusal costs nothing more and is a problem
// document as for any other request. An offer of another protocol does not come here: that request is answered as if it
// had not made the offer. State that sockets can share is created once, because there are thousands of them.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { Refusal } from "../problem.ts";
import { answerOnSocket, correlationIdOf, type Edge, socketHeaders } from "../send-answer.ts";

/** Decision on an upgrade request. */
export interface UpgradeDecision {
  refusal: Refusal | null;
  /** Headers in addition to those of every response. */
  headers?: Record<string, string>;
  take(socket: WebSocket): void;
}
export interface Door {
  path: string;
  protocol?: string;
  /** Maximum frame size; a larger frame closes the socket with 1009. */
  mostBytes: number;
  enter(request: IncomingMessage): UpgradeDecision | Promise<UpgradeDecision>;
}

/**
 * Ping interval: a socket that has not answered since the last ping is terminated. Each tick pings one of the parts.
 */
const ALIVE_MS = 30_000;
const PARTS = 30;

export function openDoors(server: Server, host: Edge, doors: readonly Door[]): { close(): void } {
  const open = new Map(doors.map((door) => [door.path, { door, sockets: listener(door, host) }]));
  const watch = watching();
  async function meet(request: Asked, socket: Duplex, head: Buffer) {
    const found = open.get(pathOf(request));
    const { refusal, headers, take } = found ? await found.door.enter(request) : NOT_FOUND;
    if (refusal || !found) return refuse(host, request, socket, refusal ?? NO_DOOR, headers);
    if (headers) request[TOLD] = headers;
    found.sockets.handleUpgrade(request, socket, head, (opened) => {
      watch.over(opened);
      take(opened);
    });
  }
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", destroy);
    meet(request, socket, head).catch(() => socket.destroy());
  });
  return {
    close() {
      watch.stop();
      for (const { sockets } of open.values()) sockets.close();
    },
  };
}

const NO_DOOR = new Refusal("not_found");
const NOT_FOUND: UpgradeDecision = { refusal: NO_DOOR, take: () => {} };
/** Headers of a response in progress. */
const TOLD = Symbol("headers");
type Asked = IncomingMessage & { [TOLD]?: Record<string, string> };
function destroy(this: Duplex) {
  this.destroy();
}
const pathOf = ({ url = "" }: IncomingMessage) => url.split("?", 1)[0] as string;
const refuse = (
  host: Edge,
  request: IncomingMessage,
  socket: Duplex,
  refusal: Refusal,
  more?: Record<string, string>,
) => answerOnSocket(host, correlationIdOf(request), socket, refusal, more);

function listener({ mostBytes, protocol }: Door, host: Edge): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: mostBytes,
    perMessageDeflate: false,
    skipUTF8Validation: true,
    ...(protocol ? { handleProtocols: (offered: Set<string>) => offered.has(protocol) && protocol } : {}),
  });
  sockets.on("headers", (lines, request: Asked) => lines.push(...socketHeaders(host, request, request[TOLD])));
  sockets.on("wsClientError", (error, socket, request) => {
    const detail = `is no handshake of a WebSocket: ${error.message}`;
    const fault = { pointer: "/headers", code: "handshake", detail };
    refuse(host, request, socket, new Refusal("invalid_request", { errors: [fault] }));
  });
  return sockets;
}

/** Pings every socket in turn and terminates dead ones. */
function watching() {
  const parts = Array.from({ length: PARTS }, () => new Set<WebSocket>());
  const partOf = new Map<WebSocket, Set<WebSocket>>();
  const silent = new Set<WebSocket>();
  let [at, next] = [0, 0];
  function heard(this: WebSocket) {
    silent.delete(this);
  }
  function gone(this: WebSocket) {
    partOf.get(this)?.delete(this);
    partOf.delete(this);
    silent.delete(this);
  }
  function failed(this: WebSocket) {
    this.terminate();
  }
  const asking = setInterval(() => {
    at = (at + 1) % PARTS;
    for (const socket of parts[at] as Set<WebSocket>) {
      if (silent.has(socket)) socket.terminate();
      else {
        silent.add(socket);
        socket.ping();
      }
    }
  }, ALIVE_MS / PARTS);
  asking.unref();
  return {
    over(socket: WebSocket) {
      next = (next + 1) % PARTS;
      const part = parts[next] as Set<WebSocket>;
      part.add(socket);
      partOf.set(socket, part);
      socket.on("pong", heard);
      socket.on("close", gone);
      socket.on("error", failed);
    },
    stop: () => clearInterval(asking),
  };
}

/** Sends unless the client reads too slowly; false if more than `mostUnread` bytes are buffered. */
export function sendTo(socket: WebSocket, data: string | Uint8Array, mostUnread: number): boolean {
  if (socket.readyState !== socket.OPEN) return true;
  if (socket.bufferedAmount > mostUnread) return false;
  socket.send(data);
  return true;
}
