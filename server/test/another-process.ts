// Another process of the service, on the database of one that a test has started: to have two of them, and to kill one.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildServer } from "../../scripts/build-server.mjs";
import { waitMs } from "./wait-limit.ts";
import { type TestService, testKeys } from "./world.ts";

export interface Another {
  /** As 127.0.0.1 and its port. */
  host: string;
  child: ChildProcess;
  /** As a power cut ends it. */
  kill(): Promise<void>;
}

export async function anotherProcess(
  { databaseUrl }: TestService,
  port = 0,
  more: Record<string, string> = {},
): Promise<Another> {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-another-"));
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    ROLES: "api,realtime",
    RATE_LIMITS: "off",
    LOG_LEVEL: "error",
    SECRET_KEYS: testKeys.map(({ id, key }) => `${id}:${key.toString("base64url")}`).join(","),
    ...more,
  };
  const child = spawn(process.execPath, [buildServer()], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const host = await new Promise<string>((found, failed) => {
    let said = "";
    const late = setTimeout(() => failed(new Error(`it was not ready: ${said}`)), waitMs());
    const hear = (chunk: Buffer) => {
      said += chunk;
      const [, at] = /Browser\s+http:\/\/localhost:(\d+)/.exec(said) ?? [];
      if (!at) return;
      clearTimeout(late);
      found(`127.0.0.1:${at}`);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", (code) => failed(new Error(`it ended with ${code}: ${said}`)));
  });
  return {
    host,
    child,
    async kill() {
      child.kill("SIGKILL");
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
