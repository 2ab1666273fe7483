// Both kinds of storage for a test file, each behind a server of its own, and requests to them exactly as they are
// written.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Fastify from "fastify";
import { afterAll, beforeAll } from "vitest";
import type { Grant, Storage } from "../src/platform/outside/external-systems.ts";
import { openStorage } from "../src/platform/outside/storage.ts";
import { serveStorage } from "../src/platform/outside/storage-routes.ts";
import type { Config } from "../src/platform/settings/config.ts";
import type { SecretKey } from "../src/platform/settings/secret-keys.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { createLog } from "../src/platform/wire/log.ts";
import { type S3Server, startS3 } from "./s3.ts";
import { testConfig } from "./world.ts";

export const secretKey = (id: string): SecretKey => ({ id, key: randomBytes(32) });

export interface Storages {
  config: Config;
  origin: string;
  s3: S3Server;
  files: Storage;
  S3: Storage;
}

/** The first of its keys signs, the second is kept for what it has signed. */
export function storages(): Storages {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-storage-"));
  const config: Config = { ...testConfig, dataDir, secretKeys: [secretKey("k2"), secretKey("k1")] };
  const found = { config } as Storages;
  const app = Fastify({ exposeHeadRoutes: false });
  serveStorage(app, config, { secure: true, draining: false, log: createLog("silent") }, async () => true);
  beforeAll(async () => {
    await app.listen({ host: "127.0.0.1", port: 0 });
    found.origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    found.s3 = await startS3();
    found.files = openStorage(config, () => found.origin);
    found.S3 = openStorage({ ...config, storageUrl: found.s3.url }, () => found.origin);
  });
  afterAll(async () => {
    app.server.closeAllConnections();
    await Promise.all([app.close(), found.s3.close()]);
    rmSync(dataDir, { recursive: true, force: true });
  });
  return found;
}

export const newObjectKey = () => `pictures/${newId()}`;
export const bytes = Buffer.from("twelve bytes");
export const type = "image/png";

export interface Sent {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}
/** With exactly this path and these headers: fetch would tidy up the one, and add a length and a type to the others. */
export const send = (url: string, method: string, headers: Record<string, string> = {}, body?: Buffer) =>
  new Promise<Sent>((resolve, reject) => {
    const [, host, port, path] = /^http:\/\/([^:/]+):(\d+)(.*)$/.exec(url) as unknown as [
      string,
      string,
      string,
      string,
    ];
    const outgoing = request({ host, port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer
        .on("data", (chunk) => chunks.push(chunk))
        .on("end", () => {
          resolve({
            status: answer.statusCode as number,
            headers: answer.headers as never,
            body: Buffer.concat(chunks),
          });
        });
    });
    // A server that refuses early closes before it has read everything.
    outgoing.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "EPIPE" || error.code === "ECONNRESET" ? undefined : reject(error),
    );
    outgoing.end(body);
  });
export const upload = (url: string, sent = bytes, headers: Record<string, string> = {}) =>
  send(url, "PUT", { "content-type": type, "content-length": String(sent.length), ...headers }, sent);
export const put = (storage: Storage, at: string, more: Partial<Grant> = {}) =>
  storage.signedUrl({ method: "PUT", key: at, seconds: 300, length: bytes.length, type, ...more });
export const get = (storage: Storage, at: string, more: Partial<Grant> = {}) =>
  storage.signedUrl({ method: "GET", key: at, seconds: 300, ...more });
