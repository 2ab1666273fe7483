// Uploads: a reservation says what will come, storage takes exactly that, and completing it looks at what came. The bytes are read piece by
// piece and outside any transaction; of many completions at once one makes the attachment and all answer it.
import { createHash } from "node:crypto";
import * as contract from "@svc/contract/attachments/uploads.ts";
import type { Queries } from "../kernel/db.ts";
import { newId } from "../kernel/ids.ts";
import { implement, implementWithEffects } from "../kernel/implement.ts";
import type { Storage, StoredObject } from "../kernel/outside.ts";
import { refuse, refuseAt } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import {
  type AttachmentTarget,
  attachmentCapabilities,
  LOAD,
  LOAD_UPLOAD,
  type UploadTarget,
  upload,
  uploader,
} from "./access.ts";
import { uploadCancelled, uploadCompleted, uploadReserved } from "./events.ts";
import { UPLOAD_SECONDS } from "./rules.ts";
import { canBe, HEAD_BYTES } from "./signatures.ts";
import * as store from "./store.ts";

export const createAttachmentUpload = implementWithEffects(
  contract.createAttachmentUpload,
  uploader(),
  async ({ member, outside, finish }, { body }) => {
    const { storage } = outside;
    const { workspaceId, actorId } = member;
    if (body.size > storage.uploadLimit)
      refuseAt("/body/size", "upload_too_large", `must be at most ${storage.uploadLimit}`, "too_large");
    const asked = { ...body, id: newId(), content_type: body.content_type.toLowerCase() };
    const { file: key } = store.objectKeys(workspaceId, asked.id);
    const { size: length, content_type: type, sha256 } = asked;
    const grant = { method: "PUT", key, seconds: UPLOAD_SECONDS, length, type, sha256 } as const;
    const url = await storage.signedUrl(grant);
    return finish(async ({ tx, record }) => {
      const times = (await store.reserve(tx, workspaceId, actorId, asked)) ?? refuse("limit_reached");
      record(uploadReserved({ kind: "attachment", id: asked.id }));
      const { expires_at } = times;
      const target = { url, method: "PUT" as const, headers: storage.uploadHeaders(grant), expires_at };
      return { ...asked, ...times, upload: target, capabilities: ["complete", "cancel"] };
    });
  },
);

export const deleteAttachmentUpload = implement(
  contract.deleteAttachmentUpload,
  upload(),
  async ({ tx, member, record, enqueue, defer }, { target }) => {
    if (target.state === "stored") refuse("upload_completed");
    const { workspaceId } = member;
    defer(store.discard(tx, workspaceId, target.id));
    enqueue("discard_attachment", { workspace_id: workspaceId, id: target.id });
    record(uploadCancelled({ kind: "attachment", id: target.id }));
  },
);

export const completeAttachmentUpload = implementWithEffects(
  contract.completeAttachmentUpload,
  upload(),
  async (context, { target }) => {
    const { member, outside, finish } = context;
    const { workspaceId } = member;
    if (target.state === "reserved") {
      if (target.expired) refuse("upload_expired");
      await verify(outside.storage, store.objectKeys(workspaceId, target.id).file, target);
    }
    return finish(async ({ tx, record, enqueue }) => {
      const [completed, row] = await Promise.all([
        store.complete(tx, workspaceId, target.id, outside.scan ? "pending" : "clean"),
        tx.maybe<AttachmentTarget>(LOAD, [target.id]),
      ]);
      if (!row) return refuse((await stillReserved(tx, target.id)) ? "upload_expired" : "not_found");
      if (completed) {
        record(uploadCompleted({ kind: "attachment", id: row.id }));
        const job = outside.scan ? "scan_attachment" : "make_thumbnail";
        enqueue(job, { workspace_id: workspaceId, id: row.id });
      }
      return render(row, attachmentCapabilities(context, row));
    });
  },
);

/** It has expired meanwhile; else it was cancelled, or attached since to what the caller does not see any more. */
const stillReserved = async (tx: Queries, id: string) =>
  (await tx.maybe<UploadTarget>(LOAD_UPLOAD, [id]))?.state === "reserved";

async function verify(storage: Storage, key: string, { size, sha256, content_type }: UploadTarget): Promise<void> {
  const found = await storage.open(key);
  if (!found) return refuse("upload_incomplete");
  const { head, checksum } = await inspect(found);
  const fault = (reason: string, detail: string) => refuseAt("/path/upload_id", "invalid_upload", detail, reason);
  if (found.size !== size) fault("wrong_length", `has ${found.size} bytes and not the ${size} that were announced`);
  if (checksum !== sha256) fault("wrong_checksum", "has another checksum than was announced");
  if (!canBe(content_type, head)) fault("wrong_type", `is not ${content_type}`);
}

/** The first bytes, and the checksum: the storage's own where it has checked it, so that the rest need not be read. */
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
