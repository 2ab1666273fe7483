// A TCP proxy in front of PostgreSQL that fails as networks do: it cuts, swallows in one direction or both, delays or trickles. What was
// swallowed never arrives: a connection that was open meanwhile stays dead after the proxy is healed, as behind a router that forgot it.
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const faults = ["cut", "swallow questions", "swallow answers", "swallow", "delay", "trickle"] as const;
export type Fault = (typeof faults)[number];

const DELAY_MS = 3000;
const TRICKLE_MS = 50;

type Direction = "questions" | "answers";
const swallows = (fault: Fault | null, direction: Direction) => fault === "swallow" || fault === `swallow ${direction}`;

export class FaultyNetwork {
  private fault: Fault | null = null;
  private readonly lines = new Set<Line>();
  private readonly server: Server;
  /** Of the database, through the proxy. */
  readonly url: string;

  private constructor(server: Server, url: string) {
    this.server = server;
    this.url = url;
  }

  static async to(databaseUrl: string): Promise<FaultyNetwork> {
    const target = new URL(databaseUrl);
    const socket = join(target.searchParams.get("host") ?? "", ".s.PGSQL.5432");
    const server = createServer((client) => proxy.accept(client, connect(socket)));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    target.searchParams.delete("host");
    target.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
    const proxy = new FaultyNetwork(server, target.href);
    return proxy;
  }

  begin(fault: Fault): void {
    this.fault = fault;
    for (const line of this.lines) line.suffer(fault);
  }
  heal(): void {
    this.fault = null;
  }
  async close(): Promise<void> {
    for (const line of this.lines) line.end();
    await new Promise((closed) => this.server.close(closed));
  }

  private accept(client: Socket, database: Socket): void {
    const line = new Line(client, database, () => this.fault);
    this.lines.add(line);
    line.ended.then(() => this.lines.delete(line));
    if (this.fault) line.suffer(this.fault);
  }
}

/** One connection: two sockets, and which directions are dead for ever. */
class Line {
  private readonly dead = new Set<Direction>();
  private readonly sockets: readonly Socket[];
  private readonly fault: () => Fault | null;
  readonly ended: Promise<unknown>;

  constructor(client: Socket, database: Socket, fault: () => Fault | null) {
    this.sockets = [client, database];
    this.fault = fault;
    this.ended = Promise.all(this.sockets.map((socket) => new Promise((closed) => socket.once("close", closed))));
    this.forward(client, database, "questions");
    this.forward(database, client, "answers");
  }

  suffer(fault: Fault): void {
    for (const direction of ["questions", "answers"] as const) if (swallows(fault, direction)) this.dead.add(direction);
    if (fault === "cut") this.end();
  }
  end(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private forward(from: Socket, to: Socket, direction: Direction): void {
    let sent = Promise.resolve();
    const then = (step: () => Promise<void> | void) => {
      sent = sent.then(() => (this.dead.has(direction) ? undefined : step()));
    };
    from.setNoDelay(true);
    from.on("data", (chunk) => then(() => this.carry(chunk, to)));
    from.on("error", () => {});
    from.on("close", () => then(() => void to.destroy()));
  }
  private async carry(chunk: Buffer, to: Socket): Promise<void> {
    if (this.fault() === "delay") await sleep(DELAY_MS);
    let at = 0;
    for (; this.fault() === "trickle" && at < chunk.length; at++) {
      to.write(chunk.subarray(at, at + 1));
      await sleep(TRICKLE_MS);
    }
    if (at < chunk.length) to.write(chunk.subarray(at));
  }
}
