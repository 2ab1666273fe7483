// An S3 service for tests, small and strict: it computes Signature Version 4 itself from the request as it arrived (the
// rules of "Signing AWS API requests" and "Authenticating requests: using query parameters"), and refuses whatever does
// not match, is late or is too long.
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export const s3Credentials = { accessKeyId: "TESTKEY", secretAccessKey: "test/secret+with=signs", region: "eu-test-1" };
export const bucket = "objects";

export interface S3Server {
  /** For STORAGE_URL. */
  url: string;
  origin: string;
  objects: Map<string, { bytes: Buffer; type: string; checksum?: string; encoding?: string }>;
  /** Answers instead, while it is set. */
  broken: number | null;
  /** Methods that the key has no right to. */
  denied: Set<string>;
  /** Seconds that its clock is ahead. */
  ahead: number;
  requests: number;
  /** Answers that the client did not read to the end. */
  cutOff: number;
  /** While it is set, a copy fails after its answer has begun: with 200. */
  brokenCopy: boolean;
  /** Asked before a request is carried out: what happens just then. */
  before: ((method: string, key: string) => Promise<unknown> | undefined) | null;
  close(): Promise<void>;
}

export async function startS3(port = 0): Promise<S3Server> {
  const server = createServer(async (request, response) => {
    s3.requests++;
    response.once("close", () => {
      if (!response.writableFinished) s3.cutOff++;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const answer = (status: number, text: string | Buffer = "", headers = {}) =>
      response.writeHead(status, { "content-length": Buffer.byteLength(text), ...headers }).end(text);
    if (s3.broken !== null) return answer(s3.broken, "<Error><Code>InternalError</Code></Error>");
    const fault = signatureFault(request, body, Date.now() + s3.ahead * 1000);
    if (fault) return answer(403, `<Error><Code>${fault}</Code></Error>`);
    const { pathname, searchParams } = new URL(request.url as string, "http://x");
    if (!pathname.startsWith(`/${bucket}/`)) return answer(404, "<Error><Code>NoSuchBucket</Code></Error>");
    const key = decodeURIComponent(pathname.slice(bucket.length + 2));
    if (key === "" && searchParams.get("list-type") === "2") {
      const most = Number(searchParams.get("max-keys"));
      const listed = [...s3.objects.keys()].slice(0, most).map((each) => `<Contents><Key>${each}</Key></Contents>`);
      return answer(200, `<ListBucketResult>${listed.join("")}</ListBucketResult>`);
    }
    await s3.before?.(request.method as string, key);
    if (s3.denied.has(request.method as string)) return answer(403, "<Error><Code>AccessDenied</Code></Error>");
    const found = s3.objects.get(key);
    const source = request.headers["x-amz-copy-source"] as string | undefined;
    if (request.method === "PUT" && source !== undefined) {
      const copied = s3.objects.get(decodeURIComponent(source.slice(bucket.length + 2)));
      if (!copied) return answer(404, "<Error><Code>NoSuchKey</Code></Error>");
      if (request.headers["x-amz-copy-source-if-match"] !== etagOf(copied.bytes))
        return answer(412, "<Error><Code>PreconditionFailed</Code></Error>");
      if (s3.brokenCopy) return answer(200, "<Error><Code>InternalError</Code></Error>");
      s3.objects.set(key, { ...copied });
      return answer(200, `<CopyObjectResult><ETag>${etagOf(copied.bytes)}</ETag></CopyObjectResult>`);
    }
    if (request.method === "PUT") {
      const checksum = request.headers["x-amz-checksum-sha256"] as string | undefined;
      if (checksum !== undefined && checksum !== Buffer.from(sha256(body), "hex").toString("base64"))
        return answer(400, "<Error><Code>BadDigest</Code></Error>");
      const { "content-type": type = "binary/octet-stream", "content-encoding": encoding } = request.headers;
      s3.objects.set(key, { bytes: body, type, checksum, encoding });
      return answer(200);
    }
    if (request.method === "DELETE") return answer(s3.objects.delete(key) ? 204 : 404);
    if (!found) return answer(404, "<Error><Code>NoSuchKey</Code></Error>");
    const disposition = searchParams.get("response-content-disposition");
    return answer(200, found.bytes, {
      "content-type": found.type,
      etag: etagOf(found.bytes),
      ...(found.encoding ? { "content-encoding": found.encoding } : {}),
      ...(found.checksum && request.headers["x-amz-checksum-mode"] === "ENABLED"
        ? { "x-amz-checksum-sha256": found.checksum }
        : {}),
      ...(disposition ? { "content-disposition": disposition } : {}),
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: bound } = server.address() as AddressInfo;
  const { accessKeyId, secretAccessKey, region } = s3Credentials;
  const user = `${accessKeyId}:${encodeURIComponent(secretAccessKey)}`;
  const s3: S3Server = {
    url: `s3://${user}@127.0.0.1:${bound}/${bucket}?region=${region}&insecure=1`,
    origin: `http://127.0.0.1:${bound}`,
    objects: new Map(),
    broken: null,
    denied: new Set(),
    ahead: 0,
    requests: 0,
    cutOff: 0,
    brokenCopy: false,
    before: null,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return s3;
}

const hmac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest();
const sha256 = (data: Buffer | string) => createHash("sha256").update(data).digest("hex");
const etagOf = (bytes: Buffer) => `"${createHash("md5").update(bytes).digest("hex")}"`;
/** Every byte but the unreserved characters of RFC 3986. */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

interface Claimed {
  credential: string;
  signedHeaders: string;
  signature: string;
  date: string;
  /** Of a presigned URL. */
  expires: number | null;
  payload: string;
}

function claimed(request: IncomingMessage, query: URLSearchParams): Claimed | null {
  const header = request.headers.authorization;
  if (header === undefined)
    return {
      credential: query.get("X-Amz-Credential") ?? "",
      signedHeaders: query.get("X-Amz-SignedHeaders") ?? "",
      signature: query.get("X-Amz-Signature") ?? "",
      date: query.get("X-Amz-Date") ?? "",
      expires: Number(query.get("X-Amz-Expires") ?? Number.NaN),
      payload: "UNSIGNED-PAYLOAD",
    };
  const parts = /^AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=([0-9a-f]{64})$/.exec(header);
  if (!parts) return null;
  const [, credential, signedHeaders, signature] = parts as unknown as [string, string, string, string];
  const [date, payload] = [request.headers["x-amz-date"], request.headers["x-amz-content-sha256"]];
  return { credential, signedHeaders, signature, date: String(date), expires: null, payload: String(payload) };
}

function signatureFault(request: IncomingMessage, body: Buffer, now: number): string | null {
  const [path = "", search = ""] = (request.url as string).split("?");
  const query = new URLSearchParams(search.replaceAll("+", "%2B"));
  const claim = claimed(request, query);
  if (!claim) return "AuthorizationHeaderMalformed";
  const { credential, signedHeaders, signature, date, expires, payload } = claim;
  const [key, day = "", region = "", service = "", end] = credential.split("/");
  if (key !== s3Credentials.accessKeyId) return "InvalidAccessKeyId";
  if (region !== s3Credentials.region || service !== "s3" || end !== "aws4_request" || !date.startsWith(day))
    return "AuthorizationQueryParametersError";
  const made = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const lifetime = expires ?? 15 * 60;
  if (Number.isNaN(made) || !(lifetime >= 1 && lifetime <= 604_800)) return "AuthorizationQueryParametersError";
  if (now > made + lifetime * 1000 || now < made - 15 * 60_000) return "AccessDenied";
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== sha256(body)) return "XAmzContentSHA256Mismatch";
  const names = signedHeaders.split(";");
  const unsigned = Object.keys(request.headers).filter((name) => name.startsWith("x-amz-") && !names.includes(name));
  if (!names.includes("host") || unsigned.length > 0) return "AccessDenied";
  const canonical = [
    request.method,
    path
      .split("/")
      .map((part) => encoded(decodeURIComponent(part)))
      .join("/"),
    [...query]
      .filter(([name]) => name !== "X-Amz-Signature")
      .map((pair) => pair.map(encoded).join("="))
      .sort()
      .join("&"),
    ...names.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? "")
          .trim()
          .replace(/ +/g, " ")}`,
    ),
    "",
    signedHeaders,
    payload,
  ].join("\n");
  const scope = [day, region, service, "aws4_request"];
  const signing = scope.reduce<Buffer | string>(hmac, `AWS4${s3Credentials.secretAccessKey}`);
  const expected = hmac(signing, ["AWS4-HMAC-SHA256", date, scope.join("/"), sha256(canonical)].join("\n"));
  return expected.toString("hex") === signature ? null : "SignatureDoesNotMatch";
}
