// Objects as files: signed URLs of our own, and files that appear whole or not at all.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bytes, get, newObjectKey, put, secretKey, send, storages, type, upload } from "../../../test/storages.ts";
import type { SecretKey } from "../settings/secret-keys.ts";
import { urlSigner } from "./signed-url.ts";
import { fileStorage, sweepIncoming } from "./storage-files.ts";
import { StorageFault } from "./storage-health.ts";

const storage = storages();
const { config } = storage;
const [current, retired] = config.secretKeys;

const pathsIn = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test("a URL works until its moment and not after it", () => {
  let now = 1_700_000_000_000;
  const urls = urlSigner([current as SecretKey], () => now);
  const path = urls.sign("GET", "/storage/a", 60);
  now += 59_999;
  expect(urls.open("GET", path)).not.toBeNull();
  now += 1;
  expect(urls.open("GET", path)).toBeNull();
});

test("a URL that an older key has signed works while that key is kept", async () => {
  const at = newObjectKey();
  await storage.files.put(at, bytes, type);
  const older = fileStorage({ ...config, secretKeys: [retired as SecretKey] }, () => storage.origin);
  expect((await send(await older.signedUrl({ method: "GET", key: at, seconds: 60 }), "GET")).status).toBe(200);
  const strange = fileStorage({ ...config, secretKeys: [secretKey("k1")] }, () => storage.origin);
  const unknown = fileStorage({ ...config, secretKeys: [secretKey("k9")] }, () => storage.origin);
  for (const signer of [strange, unknown]) {
    const answer = await send(await signer.signedUrl({ method: "GET", key: at, seconds: 60 }), "GET");
    expect([answer.status, JSON.parse(answer.body.toString()).code]).toEqual([400, "invalid_link"]);
  }
});

test("what is shown can run nothing, and what a browser would render is saved instead", async () => {
  const at = newObjectKey();
  await storage.files.put(at, bytes, type);
  const { headers } = await send(await get(storage.files, at), "GET");
  expect(headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, no-store",
    "referrer-policy": "no-referrer",
    "strict-transport-security": expect.any(String),
  });
  for (const active of ["text/html", "image/svg+xml", "application/pdf", "text/xml"]) {
    await storage.files.put(at, bytes, active);
    const answer = await send(await get(storage.files, at), "GET");
    expect([answer.headers["content-type"], answer.headers["content-disposition"]?.slice(0, 10)]).toEqual([
      active,
      "attachment",
    ]);
  }
});

test("a part is sent where one range is asked for, and never a byte of anything else", async () => {
  const at = newObjectKey();
  await storage.files.put(at, bytes, type);
  const url = await get(storage.files, at);
  const part = async (range: string, more = {}) => {
    const { status, headers, body } = await send(url, "GET", { range, ...more });
    return [status, headers["content-range"], body.toString()];
  };
  expect(await part("bytes=0-5")).toEqual([206, "bytes 0-5/12", "twelve"]);
  expect(await part("bytes=7-")).toEqual([206, "bytes 7-11/12", "bytes"]);
  expect(await part("bytes=-5")).toEqual([206, "bytes 7-11/12", "bytes"]);
  expect(await part("bytes=-500")).toEqual([206, "bytes 0-11/12", "twelve bytes"]);
  expect(await part("bytes=11-99999999999999")).toEqual([206, "bytes 11-11/12", "s"]);
  for (const past of ["bytes=12-", "bytes=12-13", "bytes=-0"])
    expect(await part(past)).toEqual([416, "bytes */12", ""]);
  for (const odd of [
    "bytes=5-4",
    "bytes=0-1,3-4",
    "bytes=",
    "bytes=-",
    "lines=1-2",
    "bytes=-1-2",
    "bytes=a-b",
    "bytes=1e1-",
    `bytes=${"9".repeat(30)}-`,
  ])
    expect(await part(odd), odd).toEqual([200, undefined, "twelve bytes"]);
  expect(await part("bytes=0-5", { "if-range": '"x"' })).toEqual([200, undefined, "twelve bytes"]);
  await storage.files.put(at, Buffer.alloc(0), type);
  expect(await part("bytes=0-")).toEqual([416, "bytes */0", ""]);
  expect((await send(url, "GET")).headers["content-length"]).toBe("0");
});

test("HEAD of a download's address has the headers of GET and no body, and of an upload's address it is refused", async () => {
  const at = newObjectKey();
  await storage.files.put(at, bytes, type);
  const url = await get(storage.files, at);
  for (const [headers, status] of [
    [{}, 200],
    [{ range: "bytes=0-5" }, 206],
    [{ range: "bytes=12-" }, 416],
  ] as const) {
    const [got, head] = [await send(url, "GET", headers), await send(url, "HEAD", headers)];
    const { date: _, "x-correlation-id": __, ...expected } = got.headers;
    expect([head.status, head.headers, head.body.length]).toMatchObject([status, expected, 0]);
    expect(got.status).toBe(status);
  }
  expect((await send(await put(storage.files, at), "HEAD")).status).toBe(400);
});

const incoming = join(config.dataDir, "objects", "incoming");
test("an upload that breaks off leaves nothing, neither the object nor a draft", async () => {
  const at = newObjectKey();
  const url = await put(storage.files, at, { length: 1_000_000 });
  const drafts = () => readdirSync(incoming);
  const outgoing = request(url, { method: "PUT", headers: { "content-type": type, "content-length": "1000000" } });
  const closed = new Promise<void>((resolve) => outgoing.on("error", () => {}).on("close", () => resolve()));
  outgoing.write(Buffer.alloc(500_000));
  await expect.poll(drafts).toHaveLength(1);
  outgoing.destroy();
  await closed;
  await expect.poll(drafts).toEqual([]);
  expect(await storage.files.get(at)).toBeUndefined();
});

test("fifty uploads of one object at once leave one of them, whole", async () => {
  const at = newObjectKey();
  const url = await put(storage.files, at, { length: 5000 });
  const sent = Array.from({ length: 50 }, (_, index) => Buffer.alloc(5000, index));
  const answers = await Promise.all(sent.map((each) => upload(url, each)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const kept = await storage.files.get(at);
  expect(sent.some((each) => kept?.equals(each))).toBe(true);
});

test("everything lies in the directory, named by a hash, and only its owner may read it", async () => {
  const at = newObjectKey();
  await storage.files.put(at, bytes, type);
  const hash = createHash("sha256").update(at).digest("hex");
  const path = join(config.dataDir, "objects", hash.slice(0, 2), hash.slice(2));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  expect(pathsIn(config.dataDir).every((each) => /\/objects\/[0-9a-f]{2}\/[0-9a-f]{62}$/.test(each))).toBe(true);
});

test("drafts that a crash has left are swept after an hour, and younger ones are left alone", async () => {
  const dir = join(config.dataDir, "objects", "incoming");
  mkdirSync(dir, { recursive: true });
  const [old, young] = [join(dir, "old"), join(dir, "young")];
  for (const path of [old, young]) writeFileSync(path, "half");
  const before = Date.now() / 1000 - 3601;
  utimesSync(old, before, before);
  await sweepIncoming(config);
  expect(readdirSync(dir)).toEqual(["young"]);
  rmSync(young);
  await sweepIncoming({ ...config, dataDir: join(config.dataDir, "absent") });
});

test("a directory of objects that cannot be read is a failure of the storage, and not a missing file", async () => {
  const dataDir = join(config.dataDir, "unreadable");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "objects"), "a file in its place");
  const broken = fileStorage({ ...config, dataDir }, () => storage.origin);
  await expect(broken.open(newObjectKey())).rejects.toMatchObject({
    code: "overloaded",
    cause: expect.any(StorageFault),
  });
});
