// Objects in an S3 service: requests and URLs that a server accepts which computes the signature itself, and that the
// official client makes.
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { AwsV4Signer } from "aws4fetch";
import { expect, test } from "vitest";
import { bucket, s3Credentials } from "../../../test/s3.ts";
import { bytes, get, newObjectKey, put, send, storages, type, upload } from "../../../test/storages.ts";
import { ConfigError } from "../settings/config-error.ts";
import { contentDisposition } from "../wire/content-disposition.ts";
import { openStorage } from "./storage.ts";
import { parseStorageUrl } from "./storage-s3.ts";

const storage = storages();

const client = () =>
  new S3Client({
    endpoint: storage.s3.origin,
    region: s3Credentials.region,
    forcePathStyle: true,
    credentials: s3Credentials,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });

test("the test's own server agrees with the official presigner, and refuses what that did not sign", async () => {
  const Key = newObjectKey();
  const command = new PutObjectCommand({ Bucket: bucket, Key, ContentLength: bytes.length, ContentType: type });
  const headers = new Set(["content-length", "content-type"]);
  const url = await getSignedUrl(client(), command, {
    expiresIn: 60,
    signableHeaders: new Set(["host", ...headers]),
  });
  expect((await upload(url, bytes.subarray(1))).status).toBe(403);
  expect((await upload(url)).status).toBe(200);
  const reading = await getSignedUrl(client(), new GetObjectCommand({ Bucket: bucket, Key }), { expiresIn: 60 });
  expect((await send(reading, "GET")).body).toEqual(bytes);
  expect((await send(reading.replace("Expires=60", "Expires=61"), "GET")).status).toBe(403);
  await client().send(new PutObjectCommand({ Bucket: bucket, Key, Body: "from the client" }));
  expect((await storage.S3.get(Key))?.toString()).toBe("from the client");
});

test("our presigned URLs have what those of the official presigner have, and equal signatures for equal URLs", async () => {
  const [Key, filename] = [newObjectKey(), "Ünï (1)*.png"];
  const headers = { "content-length": String(bytes.length), "content-type": type };
  const pairs = [
    {
      ours: await get(storage.S3, Key, { filename }),
      theirs: await getSignedUrl(
        client(),
        new GetObjectCommand({ Bucket: bucket, Key, ResponseContentDisposition: contentDisposition(filename) }),
        { expiresIn: 300 },
      ),
      signing: { method: "GET" },
    },
    {
      ours: await put(storage.S3, Key),
      theirs: await getSignedUrl(
        client(),
        new PutObjectCommand({ Bucket: bucket, Key, ContentLength: bytes.length, ContentType: type }),
        { expiresIn: 300, signableHeaders: new Set(["host", "content-length", "content-type"]) },
      ),
      signing: { method: "PUT", headers },
    },
  ];
  // Theirs also names the call and says that the payload is not signed: allowed, and not asked for.
  const extra = ["x-id", "X-Amz-Content-Sha256"];
  const moment = ["X-Amz-Date", "X-Amz-Signature"];
  for (const { ours, theirs, signing } of pairs) {
    const known = (url: string) =>
      Object.fromEntries([...new URL(url).searchParams].filter(([name]) => ![...extra, ...moment].includes(name)));
    expect(known(ours)).toEqual(known(theirs));
    const url = new URL(theirs);
    const [datetime, signature] = moment.map((name) => url.searchParams.get(name) as string);
    url.searchParams.delete("X-Amz-Signature");
    const options = { ...s3Credentials, ...signing, service: "s3", signQuery: true, allHeaders: true, datetime };
    const again = await new AwsV4Signer({ ...options, url: url.href }).sign();
    expect(again.url.searchParams.get("X-Amz-Signature")).toBe(signature);
  }
});

test("a URL works until its moment and not after it", async () => {
  const at = newObjectKey();
  await storage.S3.put(at, bytes, type);
  const url = await get(storage.S3, at, { seconds: 60 });
  storage.s3.ahead = 55;
  expect((await send(url, "GET")).status).toBe(200);
  storage.s3.ahead = 65;
  expect((await send(url, "GET")).status).toBe(403);
  storage.s3.ahead = 0;
});

test("a service that fails is tried twice; one that fails or refuses us makes callers retry later, with the cause", async () => {
  const at = newObjectKey();
  storage.s3.broken = 503;
  storage.s3.requests = 0;
  await expect(storage.S3.put(at, bytes, type)).rejects.toMatchObject({ code: "overloaded" });
  expect(storage.s3.requests).toBe(2);
  storage.s3.broken = 403;
  const refused = (detail: string) => ({ code: "overloaded", cause: { message: expect.stringContaining(detail) } });
  await expect(storage.S3.get(at)).rejects.toMatchObject(refused("answered 403"));
  await expect(storage.S3.put(at, bytes, type)).rejects.toMatchObject(refused("answered 403"));
  storage.s3.broken = 302;
  await expect(storage.S3.delete(at)).rejects.toThrow("answered 302");
  storage.s3.broken = null;
  const nowhere = openStorage(
    { ...storage.config, storageUrl: storage.s3.url.replace(/:\d+\//, ":1/") },
    () => storage.origin,
  );
  await expect(nowhere.get(at)).rejects.toMatchObject({ code: "overloaded" });
  const stranger = openStorage(
    { ...storage.config, storageUrl: storage.s3.url.replace("with", "without") },
    () => storage.origin,
  );
  await expect(stranger.get(at)).rejects.toMatchObject(refused("SignatureDoesNotMatch"));
  const bucketless = openStorage(
    { ...storage.config, storageUrl: storage.s3.url.replace("/objects?", "/others?") },
    () => storage.origin,
  );
  for (const attempt of [() => bucketless.get(at), () => bucketless.delete(at), () => bucketless.move(at, at, "v")])
    await expect(attempt(), "a missing bucket is not a missing object").rejects.toMatchObject(refused("NoSuchBucket"));
});

test("a check passes without the right to read, and fails for a key that has lost every right", async () => {
  const { s3, S3 } = storage;
  s3.denied = new Set(["GET"]);
  await S3.check();
  s3.denied = new Set(["GET", "PUT", "DELETE"]);
  await expect(S3.check()).rejects.toMatchObject({ cause: { message: expect.stringContaining("403 AccessDenied") } });
  s3.denied.clear();
  await S3.check();
});

test("an address that is no bucket's is refused at start, without showing its secret", () => {
  expect(parseStorageUrl("s3://KEY:se%2Fcret@s3.example.com:9000/files?region=eu-central-1")).toEqual({
    base: "https://s3.example.com:9000/files",
    accessKeyId: "KEY",
    secretAccessKey: "se/cret",
    region: "eu-central-1",
  });
  expect(parseStorageUrl("s3://k:s@host/files/?insecure=1")).toMatchObject({
    base: "http://host/files",
    region: "us-east-1",
  });
  for (const wrong of [
    "s3://k:hidden@host",
    "s3://k:hidden@host/",
    "s3://k:hidden@host/a/b",
    "s3://k:hidden@host/Upper",
    "s3://host/files",
    "s3://k@host/files",
    "s3://k:hidden@host/files?insecure=yes",
    "s3://k:hidden@host/files?regoin=x",
  ]) {
    expect(() => parseStorageUrl(wrong), wrong).toThrow(ConfigError);
    expect(() => parseStorageUrl(wrong), wrong).toThrow(/^(?!.*hidden).*STORAGE_URL/s);
  }
});
