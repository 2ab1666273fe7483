// Uploads: a reservation says what will come, storage takes exactly that, and completing it looks at what came and moves it to where no URL
// of an upload reaches. The bytes are read piece by piece and outside any transaction; of many completions at once one makes the attachment
// and all answer it.
import { createHash } from "node:crypto";
import * as contract from "@svc/contract/attachments/uploads.ts";
import type { Capability } from "@svc/contract/capabilities.ts";
import { inWorkspace } from "../background/jobs.ts";
import type { Pool } from "../database/db.ts";
import { implement, implementWithEffects } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import type { Storage, StoredObject } from "../outside/outside.ts";
import { newId } from "../wire/ids.ts";
import { refuse, refuseAt } from "../wire/problem.ts";
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
import { UPLOAD_URL_SECONDS } from "./rules.ts";
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
    const { upload: key } = store.objectKeys(workspaceId, asked.id);
    const { size: length, content_type: type, sha256 } = asked;
    const grant = { method: "PUT", key, seconds: UPLOAD_URL_SECONDS, length, type, sha256 } as const;
    const url = await storage.signedUrl(grant);
    return finish(async ({ tx, record }) => {
      const reserved = await store.reserve(tx, workspaceId, actorId, asked);
      const { until, ...times } = reserved ?? refuse("limit_reached");
      record(uploadReserved({ kind: "attachment", id: asked.id }));
      const target = { url, method: "PUT" as const, headers: storage.uploadHeaders(grant), expires_at: until };
      const capabilities: Capability[] = ["upload:complete", "upload:cancel"];
      return { ...asked, ...times, upload: target, capabilities };
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
      await settle(outside.storage, workspaceId, target);
    }
    let cancelled = false;
    const finished = finish(async ({ tx, record, enqueue }) => {
      const [completed, row] = await Promise.all([
        store.complete(tx, workspaceId, target.id, outside.scan ? "pending" : "not_scanned"),
        tx.maybe<AttachmentTarget>(LOAD, [target.id]),
      ]);
      if (!row) {
        // Or it was attached since to what the caller does not see any more.
        const left = await tx.maybe<UploadTarget>(LOAD_UPLOAD, [target.id]);
        cancelled = left === undefined;
        return refuse(left?.state === "reserved" ? "upload_expired" : "not_found");
      }
      if (completed) {
        record(uploadCompleted({ kind: "attachment", id: row.id }));
        const job = outside.scan ? "scan_attachment" : "make_thumbnail";
        enqueue(job, { workspace_id: workspaceId, id: row.id });
      }
      return render(row, attachmentCapabilities(context, row));
    });
    // What cancels it removes what lies there, and perhaps did so before this was moved.
    return finished.finally(() => cancelled && outside.storage.delete(store.objectKeys(workspaceId, target.id).file));
  },
);

/** For storage: whether an upload's URL still brings something that somebody waits for. */
export const uploadsOf = (reader: Pool) => (key: string) => {
  const [, workspaceId = "", id = ""] = key.split("/");
  return inWorkspace(reader, workspaceId, (tx) => store.isOpen(tx, workspaceId, id));
};

/**
 * Leaves the file where only the attachment reaches. What lies there was found to be right, by a completion that was cut off or is under
 * way; what is moved is what was looked at, or it is looked at again.
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
