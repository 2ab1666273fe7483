// Uploads a file in three steps: reserve, send straight to storage, complete. If the upload fails or is aborted, the
// reservation is deleted.
import type { ClientOptions } from "./call.ts";
import { Problem } from "./problem.ts";
import type { CallOptions } from "./shapes.ts";
import type { Operations } from "./types.ts";

export interface UploadOptions {
  /** For a file without a name. */
  filename?: string;
  contentType?: string;
  /** Called as bytes are sent. */
  onProgress?: (sent: number, total: number) => void;
  signal?: AbortSignal;
}
interface Target {
  url: string;
  method: string;
  headers: Record<string, string>;
}
/** The part of XMLHttpRequest that is used here: only browsers have it. */
interface Sending {
  upload: { onprogress: ((event: { loaded: number }) => void) | null };
  status: number;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
}

interface Announced {
  filename: string;
  content_type: string;
  size: number;
  sha256: string;
}
/** The operations of one upload target. */
interface Place<File> {
  reserve(file: Announced, options: CallOptions): Promise<{ id: string; upload: Target }>;
  complete(id: string, options: CallOptions): Promise<File>;
  giveUp(id: string): Promise<unknown>;
}
export const toAttach = (client: Operations) => ({
  reserve: (file: Announced, options: CallOptions) => client.createAttachmentUpload(file, options),
  complete: (upload_id: string, options: CallOptions) => client.completeAttachmentUpload({ upload_id }, options),
  giveUp: (upload_id: string) => client.deleteAttachmentUpload({ upload_id }),
});
export const toDiscuss = (client: Operations, workspace_id: string) => ({
  reserve: (file: Announced, options: CallOptions) => client.createDiscussUpload({ workspace_id, ...file }, options),
  complete: (upload_id: string, options: CallOptions) =>
    client.completeDiscussUpload({ workspace_id, upload_id }, options),
  giveUp: (upload_id: string) => client.deleteDiscussUpload({ workspace_id, upload_id }),
});

export async function upload<File>(
  place: Place<File>,
  { fetch: send = fetch }: ClientOptions,
  file: Blob,
  options: UploadOptions = {},
): Promise<File> {
  const { onProgress, signal } = options;
  const announced = {
    filename: options.filename ?? (file as { name?: string }).name ?? "file",
    content_type: options.contentType || file.type || "application/octet-stream",
    size: file.size,
    sha256: await digestOf(file),
  };
  const reserved = await place.reserve(announced, { signal });
  try {
    const status = await sentTo(reserved.upload, file, send, onProgress, signal);
    if (status < 200 || status > 299)
      throw new Problem({ code: "upload_failed", message: `Storage refused the file with ${status}.`, status });
    return await place.complete(reserved.id, { signal });
  } catch (error) {
    await place.giveUp(reserved.id).catch(() => {});
    throw error;
  }
}

async function digestOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Browsers report upload progress only through XMLHttpRequest; elsewhere progress is reported as the file is read. */
async function sentTo(
  { url, method, headers }: Target,
  file: Blob,
  send: typeof fetch,
  onProgress: UploadOptions["onProgress"],
  signal: AbortSignal | undefined,
): Promise<number> {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Sending };
  if (!onProgress) return (await send(url, { method, headers, body: file, signal, credentials: "omit" })).status;
  if (!XMLHttpRequest) {
    const told = inPieces(file, onProgress);
    const request = {
      method,
      headers: { ...headers, "content-length": String(file.size) },
      body: told,
      duplex: "half",
    };
    return (await send(url, { ...request, signal } as RequestInit)).status;
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const failed = () =>
      reject(signal?.reason ?? new Problem({ code: "unreachable", message: "Storage did not answer." }));
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded, file.size);
    request.onload = () => resolve(request.status);
    request.onerror = failed;
    request.onabort = failed;
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

const PIECE = 64 * 1024;
function inPieces(file: Blob, onProgress: (sent: number, total: number) => void): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    async pull(out) {
      if (at >= file.size) return out.close();
      const piece = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
      at += piece.length;
      out.enqueue(piece);
      onProgress(at, file.size);
    },
  });
}
