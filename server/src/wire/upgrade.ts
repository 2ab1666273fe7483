// Requests that become sockets: looked at before they do, so that what is refused costs nothing more. Other requests that name a protocol to change
// to are answered on the bare socket, because nothing else here speaks one.
import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

export interface Door {
  path: string;
  /** The largest frame. Whoever sends more is closed with 1009. */
  mostBytes: number;
  /** The status with which a request is refused, or null where it may become a socket. */
  refuses(request: IncomingMessage): number | null;
  take(socket: WebSocket, request: IncomingMessage): void;
}

/** Looked at every so often: a socket that has not answered since the last time is gone. */
const ALIVE_MS = 20_000;

export function openDoor(server: Server, door: Door): { close(): void } {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: door.mostBytes,
    perMessageDeflate: false,
    skipUTF8Validation: true,
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
    const status = pathOf(request) === door.path ? door.refuses(request) : 400;
    if (status !== null) return refuse(socket, status);
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

function refuse(socket: Duplex, status: number) {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );
}
