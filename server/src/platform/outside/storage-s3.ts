// Objects in an S3 service, with path-style addresses. Requests and presigned URLs use Signature Version 4; the URL of
// an upload is signed with its length and type as headers, so that the service refuses any other. The operator chose
// the address, so it may be private.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline } from "node:stream/promises";
import { AwsV4Signer } from "aws4fetch";
import { ConfigError } from "../settings/config-error.ts";
import { contentDisposition } from "../wire/content-disposition.ts";
import { sha256 } from "../wire/ids.ts";
import type { Grant, Storage, StoredObject } from "./external-systems.ts";
import { StorageFault, storageFailure } from "./storage-health.ts";

const ATTEMPTS = 2;
const ATTEMPT_MS = 4000;
const CHECKSUM = "x-amz-checksum-sha256";

export function s3Storage(address: string): Omit<Storage, "uploadLimit"> {
  const { base, ...credentials } = parseStorageUrl(address);
  const signing = { ...credentials, service: "s3", cache: new Map() };
  const urlOf = (key: string) => new URL(`${base}/${key}`);

  async function send(
    method: string,
    key: string,
    body?: Buffer,
    own: Record<string, string> = {},
    signal = () => AbortSignal.timeout(ATTEMPT_MS),
  ): Promise<Response> {
    const headers = { "x-amz-content-sha256": sha256(body ?? "").toString("hex"), ...own };
    for (let attempt = 1; ; attempt++) {
      const signed = await new AwsV4Signer({
        ...signing,
        method,
        url: urlOf(key).href,
        headers,
        allHeaders: true,
      }).sign();
      // Not signed, because a proxy may change it. Requests an uncompressed response.
      signed.headers.set("accept-encoding", "identity");
      const answer = await fetch(signed.url, {
        method,
        headers: signed.headers,
        body: body as never,
        redirect: "manual",
        signal: signal(),
      }).catch((error: unknown) => error as Error);
      if (answer instanceof Response && answer.status < 500) return answer;
      if (attempt === ATTEMPTS) throw unanswered(answer);
    }
  }

  async function presign(grant: Grant): Promise<string> {
    const { method, key, seconds, length, filename } = grant;
    const url = urlOf(key);
    url.searchParams.set("X-Amz-Expires", String(seconds));
    if (method === "GET") url.searchParams.set("response-content-disposition", contentDisposition(filename));
    const headers = method === "PUT" ? { "content-length": String(length), ...uploadHeaders(grant) } : undefined;
    const signer = new AwsV4Signer({ ...signing, method, url: url.href, headers, signQuery: true, allHeaders: true });
    // Encodes a space as %20: a plus means a space in a form, but a plus in the signature.
    return (await signer.sign()).url.href.replaceAll("+", "%20");
  }

  async function open(key: string): Promise<StoredObject | undefined> {
    const patience = patientSignal();
    const answer = await send("GET", key, undefined, { "x-amz-checksum-mode": "ENABLED" }, patience.start);
    if (answer.status === 404) return void (await expectKey(answer));
    await expectDone(answer, false);
    // A compressed object was never stored by this service, and would decompress to an unknown size: treat it as
    // missing.
    if (/gzip|deflate|br|zstd/i.test(answer.headers.get("content-encoding") ?? ""))
      return void (await answer.body?.cancel());
    return opened(answer, patience.moved);
  }

  async function remove(key: string): Promise<void> {
    const answer = await send("DELETE", key);
    if (answer.status === 404) await expectKey(answer);
    else await expectDone(answer);
  }

  return {
    async put(key, bytes, type) {
      await expectDone(await send("PUT", key, bytes, { "content-type": type }));
    },
    async get(key) {
      const found = await open(key);
      if (!found) return undefined;
      const pieces: Uint8Array[] = [];
      for await (const piece of found.bytes) pieces.push(piece);
      return Buffer.concat(pieces);
    },
    open,
    /**
     * The service copies only the version with this tag: a URL that can still write the first key does not affect the
     * second.
     */
    async move(from, to, version) {
      const source = { "x-amz-copy-source": urlOf(from).pathname, "x-amz-copy-source-if-match": version };
      const answer = await send("PUT", to, undefined, source);
      const text = await textOf(answer);
      if (answer.status === 412 || (answer.status === 404 && !text.includes(NO_BUCKET))) return false;
      if (!answer.ok) throw refused(answer.status, text);
      // S3 answers 200 before it copies: a copy that fails later has no result.
      if (!text.includes("<CopyObjectResult")) throw unanswered(text);
      await remove(from);
      return true;
    },
    delete: remove,
    write: (key, object) => sendPieces(urlOf(key), signing, object),
    async isEmpty() {
      const answer = await send("GET", "?list-type=2&max-keys=2");
      const text = await textOf(answer);
      if (!answer.ok) throw refused(answer.status, text);
      // A killed start may leave the object of its check.
      return !text.replaceAll(`<Key>${PROBE}</Key>`, "").includes("<Key>");
    },
    async check(thorough = false) {
      const answer = thorough ? null : await send("GET", PROBE);
      const text = answer && (await textOf(answer));
      if (answer?.ok || text?.includes("NoSuchKey")) return;
      // Without the right to list, S3 answers AccessDenied for a missing key: a write then decides.
      if (answer && !text?.includes("AccessDenied")) throw refused(answer.status, text ?? "");
      await expectDone(await send("PUT", PROBE, Buffer.from("svc"), { "content-type": "text/plain" }));
      await remove(PROBE);
    },
    signedUrl: presign,
    uploadHeaders,
  };
}

/** The service compares the checksum with the upload, and refuses any other content. */
const uploadHeaders = ({ type, sha256: checksum }: Pick<Grant, "type" | "sha256">): Record<string, string> => ({
  "content-type": type as string,
  ...(checksum === undefined ? {} : { [CHECKSUM]: Buffer.from(checksum, "hex").toString("base64") }),
});

/**
 * Streams the object, so that it is never held whole in memory: fetch would omit the length, which S3 requires. Not
 * retried, because the stream can be read only once.
 */
async function sendPieces(
  url: URL,
  signing: Omit<ConstructorParameters<typeof AwsV4Signer>[0], "url">,
  { type, size, sha256: checksum, bytes }: Parameters<Storage["write"]>[1],
): Promise<void> {
  const own = uploadHeaders({ type, sha256: checksum ?? undefined });
  const headers = { "content-length": String(size), "x-amz-content-sha256": "UNSIGNED-PAYLOAD", ...own };
  const signed = await new AwsV4Signer({ ...signing, method: "PUT", url: url.href, headers, allHeaders: true }).sign();
  const start = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = start(url, { method: "PUT", headers: Object.fromEntries(signed.headers), timeout: PIECES_MS });
  request.on("timeout", () => request.destroy(new Error("the S3 service takes nothing more")));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve).once("error", reject);
  });
  // An early refusal breaks the pipe; the response explains more than the pipe's error.
  const sent = pipeline(bytes, request).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") throw error;
  });
  const [answer] = await Promise.all([answered.catch((error) => Promise.reject(unanswered(error))), sent]);
  const text = (await answer.setEncoding("utf8").toArray()).join("");
  if (answer.statusCode !== 200) throw refused(answer.statusCode as number, text);
}
const PIECES_MS = 60_000;

function opened(answer: Response, moved: () => void): StoredObject {
  const told = answer.headers.get(CHECKSUM);
  async function* bytes() {
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      moved();
      yield chunk;
    }
  }
  return {
    size: Number(answer.headers.get("content-length")),
    type: answer.headers.get("content-type") ?? "application/octet-stream",
    // Ignores the checksum of a multipart upload: a checksum of checksums, with the number of parts appended.
    sha256: told && /^[\w+/]{43}=$/.test(told) ? Buffer.from(told, "base64").toString("hex") : null,
    version: answer.headers.get("etag") ?? "",
    bytes: bytes(),
    // A reader that has started releases the body itself.
    close: async () => void (answer.body?.locked || (await answer.body?.cancel())),
  };
}

/** A time-out that restarts with each attempt and each chunk: a long file may take its time, a stalled one may not. */
function patientSignal() {
  let current = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const moved = () => {
    clearTimeout(timer);
    timer = setTimeout(() => current.abort(), ATTEMPT_MS).unref();
  };
  return {
    moved,
    start: () => {
      current = new AbortController();
      moved();
      return current.signal;
    },
  };
}

async function expectDone(answer: Response, drain = true): Promise<void> {
  if (!answer.ok) throw refused(answer.status, await textOf(answer));
  if (drain) await textOf(answer);
}
/** Checks that the bucket exists and only the object is missing. */
async function expectKey(answer: Response): Promise<void> {
  const text = await textOf(answer);
  if (text.includes(NO_BUCKET)) throw refused(answer.status, text);
}
const textOf = (answer: Response) => answer.text().catch((error) => Promise.reject(unanswered(error)));

const NO_BUCKET = "NoSuchBucket";
const PROBE = "svc-probe";
/** S3 error codes, with status 3xx or 400, for a wrong region, which the operator can fix. */
const WRONG_REGION = new Set([
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
]);
function refused(status: number, text: string): Error {
  const [, code = text.slice(0, 500)] = /<Code>(\w{1,100})<\/Code>/.exec(text) ?? [];
  const detail = `the S3 service answered ${status} ${code}`;
  const isConfiguration = status === 401 || status === 403 || code === NO_BUCKET || WRONG_REGION.has(code);
  if (isConfiguration || status >= 500 || status === 429)
    return storageFailure(new StorageFault(detail, isConfiguration));
  return new Error(detail);
}
const unanswered = (cause: unknown) => storageFailure(new StorageFault("the S3 service does not answer", false, cause));

/** Parses s3://key:secret@host/bucket?region=eu-central-1&insecure=1. Error messages never show the secret. */
export function parseStorageUrl(text: string) {
  const url = new URL(text);
  const faults: string[] = [];
  const [, bucket = "", ...more] = url.pathname.replace(/\/$/, "").split("/");
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || more.length > 0)
    faults.push("STORAGE_URL: has no bucket as its path; set s3://key:secret@host/bucket");
  const [accessKeyId, secretAccessKey] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  if (accessKeyId === "" || secretAccessKey === "")
    faults.push("STORAGE_URL: has no key:secret@ before the host; set s3://key:secret@host/bucket");
  const { region = "us-east-1", insecure, ...unknown } = Object.fromEntries(url.searchParams);
  if (insecure !== undefined && insecure !== "1")
    faults.push("STORAGE_URL: insecure can only be 1; leave it out for https");
  for (const name of Object.keys(unknown)) faults.push(`STORAGE_URL: ${name} is not known; set region or insecure`);
  if (faults.length > 0) throw new ConfigError(faults);
  const base = `${insecure === "1" ? "http" : "https"}://${url.host}/${bucket}`;
  return { base, accessKeyId, secretAccessKey, region };
}
