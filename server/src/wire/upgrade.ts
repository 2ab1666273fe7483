// Requests that become sockets: looked at before they do, so that what is refused costs nothing more. Whatever is refused is a problem, as with every
// other request. An offer to speak something else than WebSocket does not come here: the request is answered as if it had not been made.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { Refusal } from "./problem.ts";
import { answerOnSocket, correlationIdOf, type Edge } from "./send.ts";

export interface Door {
  path: string;
  /** The largest frame. Whoever sends more is closed with 1009. */
  mostBytes: number;
  /** Null where the request may become a socket. */
  refuses(request: IncomingMessage): Refusal | null;
  take(socket: WebSocket, request: IncomingMessage): void;
}

/** Looked at every so often: a socket that has not answered since the last time is gone. */
const ALIVE_MS = 20_000;

export function openDoor(server: Server, host: Edge, door: Door): { close(): void } {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: door.mostBytes,
    perMessageDeflate: false,
    skipUTF8Validation: true,
  });
  const refuse = (request: IncomingMessage, socket: Duplex, refusal: Refusal) =>
    answerOnSocket(host, correlationIdOf(request), socket, refusal);
  sockets.on("wsClientError", (error, socket, request) => {
    const fault = {
      pointer: "/headers",
      code: "handshake",
      detail: `is no handshake of a WebSocket: ${error.message}`,
    };
    refuse(request, socket, new Refusal("invalid_request", { errors: [fault] }));
  });
  const answered = new WeakSet<WebSocket>();
  const asking = setInterval(() => {
    for (const socket of sockets.clients) {
      if (!answered.delete(socket)) socket.terminate();
      else socket.ping();
    }
  }, ALIVE_MS);
  asking.unref();
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const refusal = pathOf(request) === door.path ? door.refuses(request) : new Refusal("not_found");
    if (refusal) return refuse(request, socket, refusal);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      answered.add(opened);
      opened.on("pong", () => answered.add(opened));
      opened.on("error", () => opened.terminate());
      door.take(opened, request);
    });
  });
  return {
    close() {
      clearInterval(asking);
      sockets.close();
    },
  };
}

const pathOf = ({ url = "" }: IncomingMessage) => url.split("?", 1)[0];
