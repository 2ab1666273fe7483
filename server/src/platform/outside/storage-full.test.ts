// A disk without room: whoever uploads is told that it is not their fault and when to come again, and nothing
// half-written stays.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../../../test/storages.ts";

const dir = mkdtempSync(join(tmpdir(), "svc-full-"));
/**
 * A file system of its own, seen by this process alone; else a bound for files, which the kernel tells with an error
 * and no signal.
 */
const START = `
mounted='mount -t tmpfs -o size=1m svc "$0"'
if unshare -rm sh -c "$mounted" "$1" 2>/dev/null; then exec unshare -rm sh -c "$mounted"' && exec "$@"' "$1" "$2" "$3" "$1"; fi
trap '' XFSZ; ulimit -f 2048; exec "$2" "$3" "$1"`;
const program = new URL("../../../test/full-disk.ts", import.meta.url).pathname;
const child = spawn("sh", ["-c", START, "sh", dir, process.execPath, program], {
  stdio: ["ignore", "pipe", "inherit"],
});
let origin = "";
beforeAll(async () => {
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  origin = line.toString().trim();
});
afterAll(async () => {
  const ended = once(child, "close");
  child.kill("SIGKILL");
  await ended;
  rmSync(dir, { recursive: true, force: true });
});

const ask = async (path: string) => (await send(`${origin}${path}`, "GET")).body.toString();
const put = async (length: number) => {
  const url = await ask(`/url?length=${length}`);
  return send(url, "PUT", { "content-type": "image/png", "content-length": String(length) }, Buffer.alloc(length, 7));
};

test("an upload for which there is no room is 507 with Retry-After, leaves nothing, and one that fits goes on working", async () => {
  const full = await put(3 * 1024 * 1024);
  expect([full.status, JSON.parse(full.body.toString()).code, full.headers["retry-after"]]).toEqual([
    507,
    "storage_full",
    "60",
  ]);
  expect(await ask("/files")).toBe("0");
  expect((await put(100_000)).status).toBe(200);
  expect(await ask("/files")).toBe("1");
});

test("what the service itself stores, such as a picture, is refused alike", async () => {
  expect(await ask(`/put?length=${3 * 1024 * 1024}`)).toBe("storage_full");
  expect(await ask("/put?length=1000")).toBe("put");
});
