// A TCP proxy in front of PostgreSQL that fails as networks do: it cuts, swallows in one direction or both, delays or
// trickles. What was swallowed never arrives: a connection that was open meanwhile stays dead after the proxy is
// healed, as behind a router that forgot it. In an outage it has no database behind it: it cuts all connections, and
// closes, hangs or refuses new ones, or changes its mind every 300 ms.
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const faults = ["cut", "swallow questions", "swallow answers", "swallow", "delay", "trickle"] as const;
export type NetworkFault = (typeof faults)[number];
export const outages = ["accept and close", "accept and hang", "refuse", "flap"] as const;
export type Outage = (typeof outages)[number];

const DELAY_MS = 3000;
const TRICKLE_MS = 50;
const FLAP_MS = 300;

type Direction = "questions" | "answers";
const swallows = (fault: NetworkFault | null, direction: Direction) =>
  fault === "swallow" || fault === `swallow ${direction}`;

export class FaultyNetwork {
  private fault: NetworkFault | null = null;
  private outage: Outage | null = null;
  private readonly lines = new Set<Line>();
  private readonly hanging = new Set<Socket>();
  private readonly server: Server;
  private total = 0;
  /** Called for each connection, with the number of all so far. */
  accepted: (total: number) => void = () => {};
  private flapping: NodeJS.Timeout | undefined;
  /** Of the database, through the proxy. */
  readonly url: string;

  private constructor(server: Server, url: string) {
    this.server = server;
    this.url = url;
  }

  static async to(databaseUrl: string): Promise<FaultyNetwork> {
    const target = new URL(databaseUrl);
    const socket = join(target.searchParams.get("host") ?? "", ".s.PGSQL.5432");
    const server = createServer((client) => proxy.meet(client, socket));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    target.searchParams.delete("host");
    target.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
    const proxy = new FaultyNetwork(server, target.href);
    return proxy;
  }

  begin(fault: NetworkFault): void {
    this.fault = fault;
    for (const line of this.lines) line.suffer(fault);
  }
  beginOutage(outage: Outage): void {
    this.outage = outage;
    for (const line of this.lines) line.end();
    if (outage === "refuse") this.server.close();
    if (outage !== "flap") return;
    let isDown = true;
    this.flapping = setInterval(() => {
      isDown = !isDown;
      this.outage = isDown ? "accept and close" : null;
      if (isDown) for (const line of this.lines) line.end();
    }, FLAP_MS);
  }
  async heal(): Promise<void> {
    this.fault = null;
    const refused = this.outage === "refuse";
    this.outage = null;
    clearInterval(this.flapping);
    for (const client of this.hanging) client.destroy();
    if (refused) await new Promise<void>((listening) => this.server.listen(this.port, "127.0.0.1", listening));
  }
  async close(): Promise<void> {
    clearInterval(this.flapping);
    for (const client of this.hanging) client.destroy();
    for (const line of this.lines) line.end();
    await new Promise((closed) => this.server.close(closed));
  }
  get port(): number {
    return Number(new URL(this.url).port);
  }

  private meet(client: Socket, database: string): void {
    client.on("error", () => {});
    this.accepted(++this.total);
    if (this.outage === null) this.accept(client, connect(database));
    else if (this.outage !== "accept and hang") client.destroy();
    else {
      this.hanging.add(client);
      client.once("close", () => this.hanging.delete(client));
    }
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
  private readonly fault: () => NetworkFault | null;
  readonly ended: Promise<unknown>;

  constructor(client: Socket, database: Socket, fault: () => NetworkFault | null) {
    this.sockets = [client, database];
    this.fault = fault;
    this.ended = Promise.all(this.sockets.map((socket) => new Promise((closed) => socket.once("close", closed))));
    this.forward(client, database, "questions");
    this.forward(database, client, "answers");
  }

  suffer(fault: NetworkFault): void {
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
