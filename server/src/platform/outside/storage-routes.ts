// GET, HEAD and PUT below /storage/, if objects are files: a signed URL grants exactly the operation that it was signed
// for, without any other credential. Responses are sandboxed: no script, no frame, no sniffing of their type. An upload
// may take long, as long as it makes progress.
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { pictureFile } from "@svc/contract/types.ts";
import type { FastifyInstance } from "fastify";
import { translate } from "../database/translate-error.ts";
import type { Config } from "../settings/config.ts";
import { contentDisposition } from "../wire/content-disposition.ts";
import { type BodyPace, FILE, unhurried } from "../wire/input/body.ts";
import { askForBody } from "../wire/input/body-rest.ts";
import type { Log } from "../wire/log.ts";
import { Refusal, refuse, refuseAt } from "../wire/problem.ts";
import { answerRefusal, correlationIdOf, DRAINING, HSTS, route } from "../wire/send-answer.ts";
import { urlSigner } from "./signed-url.ts";
import { objectsOf, openObject, readObject, removeObject, WrongChecksum, writeObject } from "./storage-files.ts";

interface Host {
  secure: boolean;
  draining: boolean;
  log: Log;
}

/**
 * Minimum progress of an upload per interval, and its maximum duration: an hour, like the longest lifetime of a URL.
 */
interface UploadPace extends BodyPace {
  mostMs: number;
}
const PACE: UploadPace = { ...FILE, mostMs: 60 * 60 * 1000 };

/** Whether an upload under this key is still open: its URL lives longer than that. */
export type Takes = (key: string) => Promise<boolean>;

export function serveStorage(app: FastifyInstance, config: Config, host: Host, takes: Takes, pace = PACE): void {
  const dir = objectsOf(config);
  const urls = urlSigner(config.secretKeys);
  const serve = async (request: IncomingMessage, response: ServerResponse, key: string) => {
    const reads = request.method === "GET" || request.method === "HEAD";
    const signed = urls.open(reads ? "GET" : (request.method as string), request.url as string);
    if (!signed) return refuse("invalid_link");
    if (host.draining) refuse("overloaded", DRAINING);
    if (reads) return download(host, request, response, dir, key, signed);
    if (!(await takes(key))) refuse("upload_closed");
    await upload(request, dir, key, signed, pace);
    // Closing an upload deletes the stored object, but not one that arrives later, so check again after the write.
    if (!(await takes(key))) {
      await removeObject(dir, key);
      refuse("upload_closed");
    }
    response.writeHead(200, headersOf(host, request, { "content-length": "0" })).end();
  };
  route(app, ["GET", "HEAD", "PUT"], "/storage/*", (request, response, params) => {
    serve(request, response, params["*"] as string).catch((error) => {
      if (response.headersSent) return void response.destroy();
      const refusal = translate(error, {});
      if (refusal.code === "internal" || refusal.cause !== undefined)
        host.log.error({ correlation_id: correlationIdOf(request), err: error }, "storage");
      // Closes the connection instead of waiting for the rest of a refused body.
      const headers = request.method === "PUT" ? { connection: "close" } : {};
      answerRefusal(host, request, response, refusal, headers as Record<string, string>);
    });
  });
}

function headersOf({ secure }: Host, request: IncomingMessage, own: Record<string, string>): Record<string, string> {
  return {
    "cache-control": "private, no-store",
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-correlation-id": correlationIdOf(request),
    ...(secure ? Object.fromEntries([HSTS]) : {}),
    ...own,
  };
}

// ---- upload ---------------------------------------------------------------------------------------------------------

const fault = (name: string, detail: string) =>
  new Refusal("invalid_request", { errors: [{ pointer: `/headers/${name}`, code: "not_allowed", detail }] });

async function upload(
  request: IncomingMessage,
  dir: string,
  key: string,
  signed: URLSearchParams,
  pace: UploadPace,
): Promise<void> {
  const { headers } = request;
  const length = Number(signed.get("length"));
  if (headers["content-length"] !== String(length))
    throw fault("content-length", `must be ${length}, as the URL was signed for`);
  if (headers["content-type"] !== signed.get("type") || headers["content-encoding"] !== undefined)
    refuse("unsupported_media_type");
  const [type, checksum] = [signed.get("type") as string, signed.get("sha256")];
  unhurried.add(request.socket);
  askForBody(request);
  const watch = watchPace(request, pace);
  const abort = () => request.destroy();
  try {
    const writing = writeObject(dir, key, type, length, request, checksum);
    // A stalled upload ends with its connection and removes its draft; the host aborts only requests without an answer.
    writing.catch(() => {});
    request.socket.once("close", abort);
    writing.finally(() => request.socket.off("close", abort)).catch(() => {});
    await Promise.race([writing, watch.stalled]);
  } catch (error) {
    if (error instanceof WrongChecksum) refuseAt("/body", "invalid_upload", error.message, "wrong_checksum");
    // A fault of the disk names its system call; any other fault means that the request broke off.
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (request.complete || error instanceof Refusal || (syscall !== undefined && code !== "ECONNRESET")) throw error;
    throw fault("content-length", "is not what came");
  } finally {
    watch.stop();
    unhurried.delete(request.socket);
  }
}

/** Refuses an upload that hardly progresses: the host's own time-out is for whole requests and does not apply here. */
function watchPace(request: IncomingMessage, { everyMs, leastBytes, mostMs }: UploadPace) {
  const started = performance.now();
  let before = request.socket.bytesRead;
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      const { bytesRead } = request.socket;
      if (bytesRead - before < leastBytes && !request.complete) reject(new Refusal("request_timeout"));
      if (performance.now() - started > mostMs) reject(new Refusal("request_timeout"));
      before = bytesRead;
    }, everyMs);
  });
  stalled.catch(() => {});
  return { stalled, stop: () => clearInterval(timer) };
}

// ---- download -------------------------------------------------------------------------------------------------------

/** Types that a browser may display; any other is downloaded. */
const SHOWN = new Set<string>(pictureFile.types);

async function download(
  host: Host,
  request: IncomingMessage,
  response: ServerResponse,
  dir: string,
  key: string,
  signed: URLSearchParams,
): Promise<void> {
  const found = await openObject(dir, key);
  if (!found) return refuse("not_found");
  const { type, size } = found;
  const range = rangeOf(request, size);
  const filename = signed.get("filename") ?? (SHOWN.has(type) ? undefined : "download");
  const headers = headersOf(host, request, {
    "accept-ranges": "bytes",
    "content-disposition": contentDisposition(filename),
    "content-type": type,
  });
  if (range === "unsatisfiable") {
    await found.file.close();
    response.writeHead(416, { ...headers, "content-range": `bytes */${size}`, "content-length": "0" }).end();
    return;
  }
  const [first, last] = range ?? [0, size - 1];
  headers["content-length"] = String(last - first + 1);
  if (range) headers["content-range"] = `bytes ${first}-${last}/${size}`;
  response.writeHead(range ? 206 : 200, headers);
  if (last < first || request.method === "HEAD") {
    await found.file.close();
    response.end();
    return;
  }
  await pipeline(readObject(found, first, last), response);
}

/**
 * Parses a single range into first and last byte (RFC 9110, section 14); several ranges, and conditional ones, get the
 * whole object.
 */
function rangeOf({ headers }: IncomingMessage, size: number): [number, number] | "unsatisfiable" | null {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? "") ?? [];
  if ((from === "" && to === "") || headers["if-range"] !== undefined) return null;
  if (from === "") return to === "0" || size === 0 ? "unsatisfiable" : [Math.max(0, size - Number(to)), size - 1];
  const [first, last] = [Number(from), to === "" ? size - 1 : Math.min(Number(to), size - 1)];
  if (to !== "" && Number(to) < first) return null;
  return first >= size ? "unsatisfiable" : [first, last];
}
