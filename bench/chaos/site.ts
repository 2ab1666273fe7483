// The environment of a storm over two servers: their processes and settings, one Workspace with many people, and
// requests that are retried until a server answers. It kills only the servers that it starts.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { csrfTokenOf } from "../../server/src/platform/wire/ids.ts";
import type { Data } from "../data.ts";
import { ownerOn } from "../lifecycle.ts";
import { type Verdict, violations } from "./check.ts";
import { Server } from "./killable.ts";
import type { Bug } from "./storm.ts";

/** Both servers must be ready this long after a fault ends. */
const READY_MS = 120_000;
/** Longer than any recovery: after this time a request counts as unanswered. */
const PATIENCE_MS = 120_000;

export const nothingFound = () =>
  Object.fromEntries(violations.map((name) => [name, []])) as unknown as Verdict["found"];

export const headersOf = ({ session }: Data["people"][number]) => {
  const token = csrfTokenOf(session);
  return { cookie: `__Host-svc_session=${session}; __Host-svc_csrf=${token}`, "x-csrf-token": token };
};

export class Site {
  readonly directory: string;
  readonly dataDir: string;
  readonly servers: readonly [Server, Server];
  private removed = false;

  constructor(databaseUrl: string, settings: Record<string, string>, bug?: Bug) {
    this.directory = mkdtempSync(join(tmpdir(), "svc-chaos-"));
    chmodSync(this.directory, 0o711);
    this.dataDir = join(this.directory, "data");
    const { PATH = "", NODE_COMPILE_CACHE } = process.env;
    const env = {
      PATH,
      DATABASE_URL: databaseUrl,
      DATA_DIR: this.dataDir,
      PORT: "0",
      RATE_LIMITS: "off",
      LOG_LEVEL: "fatal",
      ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}),
      ...settings,
    };
    const program = bug === undefined ? ["server/src/main.ts"] : ["bench/chaos/planted.ts", bug];
    this.servers = [new Server(program, env), new Server(program, env)];
  }
  /** Starts the servers one after the other: the first generates the keys. */
  async start() {
    for (const server of this.servers) await server.start();
  }
  /** Port of the server assigned to this client, or of the other one while that is down. */
  portFor = (at: number): number | null =>
    this.servers[(at % 2) as 0 | 1].port ?? this.servers[((at + 1) % 2) as 0 | 1].port;

  /** Waits until both servers are ready. The error names what each of them lacks. */
  async untilReady(): Promise<void> {
    const states = () =>
      Promise.all(
        this.servers.map(({ port }) =>
          fetch(`http://127.0.0.1:${port}/readyz?verbose`, { signal: AbortSignal.timeout(5000) }).then(
            async (answer) => ({ ready: answer.ok, text: `${answer.status} ${await answer.text()}` }),
            (error: Error) => ({ ready: false, text: error.message }),
          ),
        ),
      );
    for (const late = performance.now() + READY_MS; ; await sleep(50)) {
      const told = await states();
      if (told.every(({ ready }) => ready)) return;
      if (performance.now() > late) throw new Error(`not ready: ${told.map(({ text }) => text).join("; ")}`);
    }
  }
  /** Retries until a server answers: each attempt of `work` sends the same key. */
  async persist<T>(data: Data, work: (call: ReturnType<typeof ownerOn>, port: number) => Promise<T>): Promise<T> {
    let failure = new Error("no server is up");
    for (const late = performance.now() + PATIENCE_MS; !this.removed && performance.now() < late; await sleep(50)) {
      const port = this.portFor(0);
      try {
        if (port !== null) return await work(ownerOn(port, data), port);
      } catch (error) {
        failure = error as Error;
      }
    }
    throw failure;
  }
  get ended(): string[] {
    return this.servers.flatMap(({ ended }) => ended);
  }
  async remove() {
    this.removed = true;
    await Promise.all(this.servers.map((server) => server.kill()));
    rmSync(this.directory, { recursive: true, force: true });
  }
}
