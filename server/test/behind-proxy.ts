// The service behind a reverse proxy that is set up as operate/ says: its own file, with nothing changed but name,
// ports and certificate. Everything is asked through the proxy, over TLS with a certificate that is checked.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/server";
import { afterAll, beforeAll } from "vitest";
import { freePort } from "../src/platform/database/embedded/address.ts";
import { parseTrust } from "../src/platform/wire/client-address.ts";
import { certificateFor } from "./certificate.ts";
import { newKey, type Person, service, sessionHeaders, type TestService } from "./world.ts";

export interface At {
  directory: string;
  /** Of the proxy, with TLS and without; of the service. */
  tls: number;
  plain: number;
  service: number;
  cert: string;
  key: string;
}
export interface Proxy {
  /** In operate/. */
  file: string;
  program: string;
  /** What must stand there, once or more often, and what stands there in the test. */
  changes(at: At): [string, string][];
  /** What the program is given, and the file that it reads besides. */
  start(at: At, config: string): { args: string[]; main: string; env?: Record<string, string> };
}

export interface ProxiedRequest {
  body?: unknown;
  raw?: Buffer;
  headers?: Record<string, string>;
  /** The address that the proxy sees. */
  from?: string;
}
export interface ProxiedAnswer {
  status: number;
  headers: IncomingMessage["headers"];
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any operation.
  json: any;
}
export interface Behind {
  running: TestService;
  at: At;
  url: string;
  /** Lets the tool `wait`, which has told that it began, go on. */
  letGo(): void;
  open(method: string, path: string, asked?: ProxiedRequest): Promise<IncomingMessage>;
  ask(method: string, path: string, asked?: ProxiedRequest): Promise<ProxiedAnswer>;
  as(person: Pick<Person, "session">, method: string, path: string, asked?: ProxiedRequest): Promise<ProxiedAnswer>;
}

export async function behind(proxy: Proxy): Promise<Behind> {
  const directory = mkdtempSync(join(tmpdir(), "svc-proxy-"));
  const [tls, plain, own] = [await freePort(), await freePort(), await freePort()];
  const at: At = { directory, tls, plain, service: own, ...certificateFiles(directory) };
  const url = `https://localhost:${tls}`;
  let letGo = () => {};
  const released = new Promise<void>((done) => {
    letGo = done;
  });
  const running = service(
    { port: own, publicUrl: url, trustProxy: parseTrust("127.0.0.1"), dataDir: join(directory, "data") },
    { mcp: () => waiting(released) },
  );
  const ca = readFileSync(at.cert);
  let child: ChildProcess;
  beforeAll(async () => {
    child = await started(proxy, at);
  });
  afterAll(async () => {
    const ended = new Promise((done) => child.once("close", done));
    child.kill("SIGTERM");
    await ended;
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  const open: Behind["open"] = (method, path, { body, raw, headers = {}, from } = {}) => {
    const bytes = raw ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
    const type = body === undefined ? {} : { "content-type": "application/json" };
    return new Promise((done, fail) => {
      const sent = request(
        {
          host: "127.0.0.1",
          servername: "localhost",
          port: tls,
          ca,
          method,
          path,
          localAddress: from,
          headers: {
            host: `localhost:${tls}`,
            ...type,
            ...headers,
            ...(bytes && { "content-length": bytes.length }),
          },
        },
        done,
      );
      sent.on("error", fail).end(bytes);
    });
  };
  const ask: Behind["ask"] = async (method, path, asked) => {
    const answer = await open(method, path, asked);
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const isJson = /json/.test(answer.headers["content-type"] ?? "") && bytes.length > 0;
    return {
      status: answer.statusCode as number,
      headers: answer.headers,
      bytes,
      json: isJson ? JSON.parse(bytes.toString()) : undefined,
    };
  };
  return {
    running,
    at,
    url,
    letGo: () => letGo(),
    open,
    ask,
    as: ({ session }, method, path, asked = {}) =>
      ask(method, `/api/v1${path}`, {
        ...asked,
        headers: { ...sessionHeaders(session), "idempotency-key": newKey(), ...asked.headers },
      }),
  };
}

function certificateFiles(directory: string): { cert: string; key: string } {
  const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  const made = certificateFor("localhost");
  writeFileSync(cert, made.cert);
  writeFileSync(key, made.key, { mode: 0o600 });
  return { cert, key };
}

async function started({ file, program, changes, start }: Proxy, at: At): Promise<ChildProcess> {
  let text = readFileSync(resolve("operate", file), "utf8");
  for (const [found, put] of changes(at)) {
    if (!text.includes(found)) throw new Error(`operate/${file} has no "${found}"`);
    text = text.replaceAll(found, put);
  }
  const config = join(at.directory, file);
  writeFileSync(config, text);
  const { args, main, env } = start(at, config);
  writeFileSync(join(at.directory, "main.conf"), main);
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said = (said + chunk).slice(-4096);
  });
  while (!(await isOpen(at.tls))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${said}`);
    await sleep(50);
  }
  return child;
}
const isOpen = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      done(true);
    });
    socket.on("error", () => done(false));
  });

/** One tool, which says that it has begun and then waits until it is let go. */
function waiting(released: Promise<void>): Server {
  const server = new Server({ name: "waiting", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/call", async (_call, { mcpReq }) => {
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken: "begun", progress: 1 } });
    await released;
    return { content: [{ type: "text" as const, text: "ended" }] };
  });
  return server;
}
