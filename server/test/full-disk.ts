// File storage as a process of its own, in a directory that soon has no room left: on a file system of one megabyte
// where one can be mounted, else with a bound of one megabyte for each file. Says where it is reached and what lies in
// its directory.
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { openStorage } from "../src/platform/outside/storage.ts";
import { serveStorage } from "../src/platform/outside/storage-routes.ts";
import type { Config } from "../src/platform/settings/config.ts";
import { createLog } from "../src/platform/wire/log.ts";

const [, , dataDir = ""] = process.argv;
const secretKeys = [{ id: "k1", key: randomBytes(32) }];
const config = { dataDir, secretKeys, storageUrl: null, uploadLimit: 2 ** 30 } as unknown as Config;
const app = Fastify({ exposeHeadRoutes: false });
let origin = "";
const storage = openStorage(config, () => origin);
serveStorage(app, config, { secure: false, log: createLog("silent"), draining: false }, async () => true);
app.get<{ Querystring: { length: string } }>("/url", ({ query }) =>
  storage.signedUrl({ method: "PUT", key: "a/b", seconds: 60, length: Number(query.length), type: "image/png" }),
);
app.get("/put", ({ query }) => {
  const { length } = query as { length: string };
  return storage.put("a/c", Buffer.alloc(Number(length)), "image/png").then(
    () => "put",
    ({ code }) => code,
  );
});
app.get(
  "/files",
  () => readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length,
);
await app.listen({ host: "127.0.0.1", port: 0 });
origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
process.stdout.write(`${origin}\n`);
