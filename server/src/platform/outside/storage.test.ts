// Stored objects, as files and in an S3 service: what is put comes back, and a signed URL does one thing, to one
// object, for a while.
import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { bytes, get, newObjectKey, put, send, storages, type, upload } from "../../../test/storages.ts";
import type { StoredObject } from "./external-systems.ts";

const both = storages();
const unused = storages();

describe.each(["files", "S3"] as const)("%s", (kind) => {
  test("what is put comes back, and is gone when it is deleted, however often", async () => {
    const storage = both[kind];
    const at = newObjectKey();
    expect(await storage.get(at)).toBeUndefined();
    await storage.put(at, bytes, type);
    expect(await storage.get(at)).toEqual(bytes);
    await storage.put(at, Buffer.alloc(0), type);
    expect(await storage.get(at)).toEqual(Buffer.alloc(0));
    await storage.delete(at);
    await storage.delete(at);
    expect(await storage.get(at)).toBeUndefined();
  });

  test("a check that was killed leaves one object at most, and the storage still counts as empty", async () => {
    const storage = unused[kind];
    await storage.check(true);
    expect(await storage.isEmpty()).toBe(true);
    // The key that each check uses.
    await storage.put({ files: "probe", S3: "svc-probe" }[kind], bytes, type);
    expect(await storage.isEmpty()).toBe(true);
    await storage.check(true);
    const at = newObjectKey();
    await storage.put(at, bytes, type);
    expect(await storage.isEmpty()).toBe(false);
    await storage.delete(at);
    expect(await storage.isEmpty(), "nothing else is left").toBe(true);
  });

  test("a megabyte of noise survives unchanged, put by us or through a URL", async () => {
    const storage = both[kind];
    const noise = randomBytes(1024 * 1024);
    const at = newObjectKey();
    await storage.put(at, noise, type);
    expect((await storage.get(at))?.equals(noise)).toBe(true);
    expect((await send(await get(storage, at), "GET")).body.equals(noise)).toBe(true);
    const other = newObjectKey();
    expect((await upload(await put(storage, other, { length: noise.length }), noise)).status).toBe(200);
    expect((await storage.get(other))?.equals(noise)).toBe(true);
  });

  test("an object is read piece by piece, with its size, as far as one likes", async () => {
    const storage = both[kind];
    const noise = randomBytes(1024 * 1024);
    const at = newObjectKey();
    expect(await storage.open(at)).toBeUndefined();
    await storage.put(at, noise, type);
    const whole = (await storage.open(at)) as StoredObject;
    const pieces: Uint8Array[] = [];
    for await (const piece of whole.bytes) pieces.push(piece);
    expect([whole.size, pieces.length > 1, Buffer.concat(pieces).equals(noise)]).toEqual([noise.length, true, true]);
    for await (const piece of ((await storage.open(at)) as StoredObject).bytes) {
      expect(noise.subarray(0, piece.length).equals(piece)).toBe(true);
      break;
    }
    const unread = (await storage.open(at)) as StoredObject;
    await unread.close();
    await unread.close();
    await whole.close();
    await storage.put(at, Buffer.alloc(0), type);
    const empty = (await storage.open(at)) as StoredObject;
    for await (const piece of empty.bytes) expect(piece.length).toBe(0);
    expect(empty.size).toBe(0);
  });

  test("an upload with a checksum takes those bytes and no others, again and again", async () => {
    const storage = both[kind];
    const at = newObjectKey();
    const grant = { method: "PUT", key: at, seconds: 300, length: bytes.length, type } as const;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const url = await storage.signedUrl({ ...grant, sha256 });
    const headers = storage.uploadHeaders({ ...grant, sha256 });
    const other = Buffer.from("twelve evil!");
    expect((await upload(url, other, headers)).status).toBeGreaterThan(399);
    expect(await storage.get(at)).toBeUndefined();
    for (let again = 0; again < 2; again++) expect((await upload(url, bytes, headers)).status).toBe(200);
    expect((await upload(url, other, headers)).status).toBeGreaterThan(399);
    if (kind === "S3") {
      const [checksum] = [createHash("sha256").update(other).digest("base64")];
      expect((await upload(url, other)).status).toBe(403);
      expect((await upload(url, other, { ...headers, "x-amz-checksum-sha256": checksum })).status).toBe(403);
    }
    expect(await storage.get(at)).toEqual(bytes);
    expect(storage.uploadHeaders(grant)).toEqual({ "content-type": type });
    await expect(storage.signedUrl({ ...grant, sha256: "ab" })).rejects.toThrow("not a checksum");
    await expect(get(storage, at, { sha256 })).rejects.toThrow("not for GET");
  });

  test("a URL for GET reads that object with its type, and one for PUT writes it", async () => {
    const storage = both[kind];
    const at = newObjectKey();
    expect((await upload(await put(storage, at))).status).toBe(200);
    const answer = await send(await get(storage, at), "GET");
    expect([answer.status, answer.headers["content-type"], answer.body]).toEqual([200, type, bytes]);
    expect(answer.headers["content-disposition"]).toBe("inline");
    const saved = await send(await get(storage, at, { filename: 'Ünï "x" 100%.png' }), "GET");
    expect(saved.headers["content-disposition"]).toBe(
      `attachment; filename="_n_ _x_ 100_.png"; filename*=UTF-8''%C3%9Cn%C3%AF%20%22x%22%20100%25.png`,
    );
    await storage.delete(at);
    expect((await send(await get(storage, at), "GET")).status).toBe(404);
  });

  test("a URL is refused for another method", async () => {
    const storage = both[kind];
    const at = newObjectKey();
    await storage.put(at, bytes, type);
    const [reading, writing] = [await get(storage, at), await put(storage, at)];
    expect((await upload(reading, Buffer.from("twelve evil!"))).status).toBeGreaterThan(399);
    for (const method of ["DELETE", "POST", "PATCH"])
      expect((await send(reading, method)).status, method).toBeGreaterThan(399);
    // S3 signs the method; the service serves HEAD wherever GET works.
    expect((await send(reading, "HEAD")).status).toBe(kind === "files" ? 200 : 403);
    for (const method of ["GET", "DELETE", "POST", "HEAD"])
      expect((await send(writing, method)).status, method).toBeGreaterThan(399);
    expect(await storage.get(at)).toEqual(bytes);
  });

  test("a URL is refused for another key, however it is spelled", async () => {
    const storage = both[kind];
    const [mine, other] = [newObjectKey(), newObjectKey()];
    await storage.put(mine, bytes, type);
    await storage.put(other, bytes, type);
    const url = await get(storage, mine);
    const name = mine.split("/")[1] as string;
    const paths = [
      other,
      `${mine}/x`,
      `${mine}/../${other}`,
      `${mine}%2f..%2f${other}`,
      mine.toUpperCase(),
      "pictures",
      "",
    ];
    for (const path of [
      ...paths,
      `pictures//${name}`,
      `./${mine}`,
      "../../etc/passwd",
      "..%2f..%2fetc%2fpasswd",
      `${mine}%00`,
    ])
      expect((await send(url.replace(mine, path), "GET")).status, path).toBeGreaterThan(399);
    expect(
      (await upload((await put(storage, mine)).replace(mine, other), Buffer.from("twelve evil!"))).status,
    ).toBeGreaterThan(399);
    expect(await storage.get(other)).toEqual(bytes);
  });

  test("an upload is refused with another length, shorter, longer or unknown", async () => {
    const storage = both[kind];
    const at = newObjectKey();
    const url = await put(storage, at);
    for (const wrong of [Buffer.alloc(0), bytes.subarray(1), Buffer.concat([bytes, Buffer.from("!")])])
      expect((await upload(url, wrong)).status, String(wrong.length)).toBeGreaterThan(399);
    const chunked = await send(url, "PUT", { "content-type": type, "transfer-encoding": "chunked" }, bytes);
    expect(chunked.status).toBeGreaterThan(399);
    const longer = kind === "files" ? url.replace("length=12", "length=13") : url;
    expect((await upload(longer, Buffer.alloc(13))).status).toBeGreaterThan(399);
    expect(await storage.get(at)).toBeUndefined();
  });

  test("an upload is refused with another type", async () => {
    const storage = both[kind];
    const at = newObjectKey();
    const url = await put(storage, at);
    for (const wrong of ["text/html", "image/svg+xml", "image/PNG", "image/png; charset=utf-8", ""])
      expect((await upload(url, bytes, { "content-type": wrong })).status, wrong).toBeGreaterThan(399);
    expect(await storage.get(at)).toBeUndefined();
  });

  test("a URL is refused when its query or signature is changed, shortened or repeated", async () => {
    const storage = both[kind];
    const at = newObjectKey();
    await storage.put(at, bytes, type);
    const url = await get(storage, at, { filename: "a.png" });
    const last = url.at(-1) === "a" ? "b" : "a";
    const changed = [
      url.slice(0, -1) + last,
      url.slice(0, -1),
      `${url}A`,
      url.replace("a.png", "b.html"),
      url.replace(/(until|X-Amz-Expires)=\d+/, "$1=9999999999"),
      url.replace(/(until|X-Amz-Expires)=(\d+)/, "$1=$2&$1=604800"),
      `${url}&filename=b.html&response-content-type=text/html`,
      url.replace(/[&?](signature|X-Amz-Signature)=[^&]+/, ""),
      url.split("?")[0] as string,
    ];
    for (const wrong of changed) expect((await send(wrong, "GET")).status, wrong).toBeGreaterThan(399);
    expect((await send(url, "GET")).status).toBe(200);
  });

  test("no key, type or grant is signed that is not plainly one", async () => {
    const storage = both[kind];
    for (const wrong of [
      "",
      "/",
      "/a",
      "a/",
      "a//b",
      "..",
      "../a",
      "a/../b",
      ".",
      "a b",
      "A",
      "a\0",
      "a%2fb",
      "ä",
      "a\\b",
      "x".repeat(201),
    ]) {
      await expect(get(storage, wrong), wrong).rejects.toThrow("not a key");
      await expect(storage.put(wrong, bytes, type), wrong).rejects.toThrow("not a key");
      await expect(storage.get(wrong), wrong).rejects.toThrow("not a key");
      await expect(storage.delete(wrong), wrong).rejects.toThrow("not a key");
    }
    for (const wrong of ["", "png", "image/png\r\nx: y", "image/png; x=y", "a/b/c"])
      await expect(storage.put("a", bytes, wrong), wrong).rejects.toThrow("not a media type");
    for (const seconds of [0, -1, 1.5, 3601, Number.NaN])
      await expect(get(storage, "a", { seconds })).rejects.toThrow("not a lifetime");
    await expect(put(storage, "a", { length: undefined })).rejects.toThrow("a length and a type");
    await expect(put(storage, "a", { length: -1 })).rejects.toThrow("a length and a type");
    await expect(put(storage, "a", { type: undefined })).rejects.toThrow("a length and a type");
    await expect(put(storage, "a", { filename: "x" })).rejects.toThrow("not for PUT");
    await expect(get(storage, "a", { length: 1 })).rejects.toThrow("not for GET");
  });
});
