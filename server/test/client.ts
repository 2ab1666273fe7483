// The HTTP client of the tests: one request, its answer whole. Over kept sockets and by hand, because tests send
// hundreds of thousands: node:http takes half as much CPU again, and fetch four times. Follows no redirect, retries
// nothing and judges nothing.
import { connect, type Socket } from "node:net";
import { registerWait } from "./wait-limit.ts";

export interface Exchange {
  status: number;
  headers: Headers;
  text: string;
}

const utf8 = new TextDecoder();
const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");
/** Of these a body is expected, so that its absence is said. */
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
/**
 * Sockets that wait for the next request, by address, with the time since when they wait; the last one has waited
 * least.
 */
const idle = new Map<string, { socket: Socket; since: number }[]>();
/** The service closes a socket that waits for 72 s; one that is about to be closed is not used. */
const MOST_IDLE_MS = 60_000;

export function exchange(
  method: string,
  address: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<Exchange> {
  // As a browser would: dots are resolved, and what may not stand in an address is encoded.
  const { host, hostname, port, pathname, search } = new URL(address);
  const bytes = body === undefined ? null : Buffer.from(body);
  const all: Record<string, string> = { host, connection: "keep-alive" };
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
  if (bytes || WITH_BODY.has(method)) all["content-length"] = String(bytes?.length ?? 0);
  let head = `${method} ${pathname}${search} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries(all)) head += `${name}: ${value}\r\n`;
  const sent = Buffer.from(`${head}\r\n`, "latin1");
  return new Promise((resolve, reject) => {
    const socket = taken(host) ?? opened(host, hostname, Number(port || 80));
    const answered = new Answered(method === "HEAD");
    const arrived = registerWait(`${method} ${pathname}`);
    const done = (keeps: boolean) => {
      arrived();
      socket.off("data", hear);
      socket.off("close", ended);
      socket.off("error", failed);
      if (keeps && !socket.destroyed) wait(host, socket);
      else socket.destroy();
    };
    const finish = () => {
      done(answered.keeps);
      resolve(answered.whole());
    };
    const failed = (error: Error) => {
      done(false);
      error.message = `${method} ${pathname}: ${error.message}`;
      reject(error);
    };
    const ended = () => {
      if (answered.endsWithSocket()) finish();
      else failed(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
    };
    const hear = (data: Buffer) => {
      if (answered.take(data)) finish();
    };
    socket.ref();
    socket.on("data", hear);
    socket.on("close", ended);
    socket.on("error", failed);
    socket.write(bytes ? Buffer.concat([sent, bytes]) : sent);
  });
}

function opened(host: string, hostname: string, port: number): Socket {
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port, noDelay: true });
  // One that waits and is closed by the service is forgotten.
  socket.on("error", () => {});
  socket.on("close", () => {
    const waiting = idle.get(host) ?? [];
    const at = waiting.findIndex((each) => each.socket === socket);
    if (at >= 0) waiting.splice(at, 1);
  });
  return socket;
}
function wait(host: string, socket: Socket) {
  socket.unref();
  const one = { socket, since: performance.now() };
  const waiting = idle.get(host);
  if (waiting) waiting.push(one);
  else idle.set(host, [one]);
}
function taken(host: string): Socket | undefined {
  const last = idle.get(host)?.pop();
  if (!last || performance.now() - last.since < MOST_IDLE_MS) return last?.socket;
  // All that are left have waited longer.
  for (const { socket } of [last, ...(idle.get(host)?.splice(0) ?? [])]) socket.destroy();
  return undefined;
}

/** An answer as it arrives. */
class Answered {
  keeps = true;
  private seen: Buffer = Buffer.alloc(0);
  private status = 0;
  private readonly headers = new Headers();
  /** Where the body begins; -1 until the head is whole. */
  private bodyAt = -1;
  private length: number | "chunks" | "rest" = 0;
  private readonly pieces: Buffer[] = [];
  private readonly isBare: boolean;
  /** Of HEAD: the body is told of, and not sent. */
  constructor(isBare: boolean) {
    this.isBare = isBare;
  }

  /** Whether that was the last of it. */
  take(data: Buffer): boolean {
    this.seen = this.seen.length === 0 ? data : Buffer.concat([this.seen, data]);
    while (this.bodyAt < 0) {
      const end = this.seen.indexOf(HEAD_END);
      if (end < 0) return false;
      this.readHead(this.seen.toString("latin1", 0, end));
      this.bodyAt = end + HEAD_END.length;
      // Early hints and the like come before the answer. A socket that is opened is left again.
      if (this.status >= 200 || this.status === 101) break;
      this.seen = this.seen.subarray(this.bodyAt);
      this.bodyAt = -1;
    }
    if (this.length === "rest") return false;
    if (this.length === "chunks") return this.readChunks();
    return this.seen.length - this.bodyAt >= this.length;
  }
  endsWithSocket = () => this.bodyAt >= 0 && this.length === "rest";
  whole(): Exchange {
    const end = typeof this.length === "number" ? this.bodyAt + this.length : this.seen.length;
    const body = this.length === "chunks" ? Buffer.concat(this.pieces) : this.seen.subarray(this.bodyAt, end);
    return { status: this.status, headers: this.headers, text: utf8.decode(body) };
  }

  private readHead(head: string) {
    const [first = "", ...lines] = head.split("\r\n");
    this.status = Number(first.slice(9, 12));
    if (this.status < 200 && this.status !== 101) return;
    for (const line of lines) {
      const colon = line.indexOf(":");
      this.headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    this.keeps = this.status !== 101 && this.headers.get("connection")?.toLowerCase() !== "close";
    const told = this.headers.get("content-length");
    if (this.isBare || [101, 204, 304].includes(this.status)) this.length = 0;
    else if (this.headers.get("transfer-encoding")) this.length = "chunks";
    else if (told !== null) this.length = Number(told);
    else {
      this.length = "rest";
      this.keeps = false;
    }
  }
  private readChunks(): boolean {
    for (;;) {
      const line = this.seen.indexOf(LINE_END, this.bodyAt);
      if (line < 0) return false;
      const size = Number.parseInt(this.seen.toString("latin1", this.bodyAt, line), 16);
      const [from, to] = [line + 2, line + 2 + size];
      if (this.seen.length < to + 2) return false;
      if (size === 0) return true;
      this.pieces.push(this.seen.subarray(from, to));
      this.bodyAt = to + 2;
    }
  }
}
