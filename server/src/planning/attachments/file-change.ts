// Reserves, completes, serves and removes files, both attachments and files of a private stream. A reservation
// announces the file, storage accepts exactly that, and completion verifies the upload and moves it to a key that no
// upload URL can write. The bytes are read as a stream and outside any transaction; of concurrent completions one
// creates the file, and all return it.
import { createHash } from "node:crypto";
import type { Capability } from "@svc/contract/capabilities.ts";
import type { Queries } from "../../platform/database/db.ts";
import type {
  Context,
  EffectsContext,
  EffectsTransaction,
  Rendered,
} from "../../platform/kernel/implement-operation.ts";
import type { Grant, Storage, StoredObject } from "../../platform/outside/external-systems.ts";
import { PICTURE } from "../../platform/outside/picture.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { LOAD_UPLOAD, type UploadTarget } from "./access.ts";
import { isShown, UPLOAD_URL_SECONDS, URL_SECONDS } from "./rules.ts";
import { canBe, HEAD_BYTES } from "./signatures.ts";
import * as store from "./store.ts";

interface Announced {
  filename: string;
  content_type: string;
  size: number;
  sha256: string;
}
interface Reserving {
  isPrivate: boolean;
  /** Size limit in bytes, if lower than the storage's limit. */
  most?: number;
  reserved?(context: EffectsTransaction, id: string): void;
}
export async function reserveFile(context: EffectsContext, announced: Announced, reserving: Reserving) {
  const { member, outside, finish } = context;
  const { storage } = outside;
  const { workspaceId, actorId } = member;
  const most = Math.min(storage.uploadLimit, reserving.most ?? storage.uploadLimit);
  if (announced.size > most) refuseAt("/body/size", "upload_too_large", `must be at most ${most}`, "too_large");
  const asked = { ...announced, id: newId(), content_type: announced.content_type.toLowerCase() };
  const { upload: key } = store.objectKeys(workspaceId, asked.id);
  const { size: length, content_type: type, sha256 } = asked;
  const grant = { method: "PUT", key, seconds: UPLOAD_URL_SECONDS, length, type, sha256 } as const;
  const url = await storage.signedUrl(grant);
  return finish(async (transaction) => {
    const reserved = await store.reserve(transaction.tx, workspaceId, actorId, asked, reserving.isPrivate);
    const { until, ...times } = reserved ?? refuse("limit_reached");
    reserving.reserved?.(transaction, asked.id);
    const target = { url, method: "PUT" as const, headers: storage.uploadHeaders(grant), expires_at: until };
    const capabilities: Capability[] = ["upload:complete", "upload:cancel"];
    return { ...asked, ...times, upload: target, capabilities };
  });
}

interface Completing<Row> {
  /** Loads the completed file for the response. */
  load(tx: Queries, id: string): Promise<Row | undefined>;
  completed?(context: EffectsTransaction, row: Row): void;
  shown(row: Row): Rendered;
}
export async function completeFile<Row>(context: EffectsContext, target: UploadTarget, completing: Completing<Row>) {
  const { member, outside, finish } = context;
  const { workspaceId } = member;
  if (target.state === "reserved") {
    if (target.expired) refuse("upload_expired");
    await settle(outside.storage, workspaceId, target);
  }
  let cancelled = false;
  const finished = finish(async (transaction) => {
    const { tx, enqueue } = transaction;
    const [completed, row] = await Promise.all([
      store.complete(tx, workspaceId, target.id, outside.scan ? "pending" : "not_scanned"),
      completing.load(tx, target.id),
    ]);
    if (!row) {
      // Alternatively, it has since been attached to something that the caller cannot see.
      const left = await tx.maybe<UploadTarget>(LOAD_UPLOAD, [target.id]);
      cancelled = left === undefined;
      return refuse(left?.state === "reserved" ? "upload_expired" : "not_found");
    }
    if (completed) {
      completing.completed?.(transaction, row);
      enqueue(outside.scan ? "scan_attachment" : "make_thumbnail", { workspace_id: workspaceId, id: target.id });
    }
    return completing.shown(row);
  });
  // A cancellation deletes the stored file, but may have done so before `settle` moved it there.
  return finished.finally(() => cancelled && outside.storage.delete(store.objectKeys(workspaceId, target.id).file));
}

/** Deletes the row now, and its storage objects in a job. */
export function discardFile({ tx, member, enqueue, defer }: Context, id: string): void {
  defer(store.discard(tx, member.workspaceId, id));
  enqueue("discard_attachment", { workspace_id: member.workspaceId, id });
}

interface Given {
  id: string;
  filename: string;
  content_type: string;
  has_thumbnail: boolean;
  undrawable: boolean;
}
/** Expiry by the process clock, which also signs the URL. */
async function give({ outside, finish }: EffectsContext, key: string, contentType: string, more: Partial<Grant> = {}) {
  const expires_at = new Date(Date.now() + URL_SECONDS * 1000).toISOString();
  const url = await outside.storage.signedUrl({ method: "GET", key, seconds: URL_SECONDS, ...more });
  return finish(async () => ({ url, content_type: contentType, expires_at }));
}
/** Signed download URL. The caller has checked that the file may be downloaded. */
export function giveFile(context: EffectsContext, { id, content_type, filename }: Given) {
  return give(context, store.objectKeys(context.member.workspaceId, id).file, content_type, { filename });
}
export function givePreview(context: EffectsContext, target: Given) {
  if (!isShown(target)) refuse("preview_unavailable");
  const { file, thumbnail } = store.objectKeys(context.member.workspaceId, target.id);
  return target.has_thumbnail ? give(context, thumbnail, PICTURE.type) : give(context, file, target.content_type);
}

/**
 * Verifies the upload and moves it to the file's final key. A file that is already there was verified by an interrupted
 * or concurrent completion. Only the verified version is moved; if the upload changed meanwhile, it is verified once
 * more.
 */
async function settle(storage: Storage, workspaceId: string, target: UploadTarget): Promise<void> {
  const { upload: from, file: to } = store.objectKeys(workspaceId, target.id);
  for (let attempt = 1; attempt <= 2; attempt++) {
    if (await isThere(storage, to)) return;
    const found = await storage.open(from);
    if (!found) continue;
    await verify(found, target);
    if (await storage.move(from, to, found.version)) return;
  }
  refuse("upload_incomplete");
}

async function isThere(storage: Storage, key: string): Promise<boolean> {
  const found = await storage.open(key);
  await found?.close();
  return found !== undefined;
}

async function verify(found: StoredObject, { size, sha256, content_type }: UploadTarget): Promise<void> {
  const { head, checksum } = await inspect(found);
  const fault = (reason: string, detail: string) => refuseAt("/path/upload_id", "invalid_upload", detail, reason);
  if (found.size !== size) fault("wrong_length", `has ${found.size} bytes and not the ${size} that were announced`);
  if (checksum !== sha256) fault("wrong_checksum", "has another checksum than was announced");
  if (!canBe(content_type, head)) fault("wrong_type", `is not ${content_type}`);
}

/** The first bytes, and the checksum: the storage's own if it has verified it, so that the rest need not be read. */
async function inspect(object: StoredObject): Promise<{ head: Buffer; checksum: string }> {
  const hash = object.sha256 === null ? createHash("sha256") : null;
  let head = Buffer.alloc(0);
  for await (const chunk of object.bytes) {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
    if (hash) hash.update(chunk);
    else if (head.length === HEAD_BYTES) break;
  }
  return { head, checksum: hash ? hash.digest("hex") : (object.sha256 as string) };
}
