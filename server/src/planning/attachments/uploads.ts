// Uploads of attachments: members who may write work reserve, complete or cancel them. file-change.ts does the work.
import * as contract from "@svc/contract/planning/attachments/uploads.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import type { Pool } from "../../platform/database/db.ts";
import { implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { type AttachmentTarget, attachmentCapabilities, LOAD, upload, uploader } from "./access.ts";
import { uploadCancelled, uploadCompleted, uploadReserved } from "./events.ts";
import { completeFile, discardFile, reserveFile } from "./file-change.ts";
import * as store from "./store.ts";

export const createAttachmentUpload = implementWithEffects(
  contract.createAttachmentUpload,
  uploader(),
  (context, { body }) =>
    reserveFile(context, body, {
      isPrivate: false,
      reserved: ({ record }, id) => record(uploadReserved({ kind: "attachment", id })),
    }),
);

export const deleteAttachmentUpload = implement(
  contract.deleteAttachmentUpload,
  upload(),
  async (context, { target }) => {
    if (target.state === "stored") refuse("upload_completed");
    discardFile(context, target.id);
    context.record(uploadCancelled({ kind: "attachment", id: target.id }));
  },
);

export const completeAttachmentUpload = implementWithEffects(
  contract.completeAttachmentUpload,
  upload(),
  (context, { target }) =>
    completeFile<AttachmentTarget>(context, target, {
      load: (tx, id) => tx.maybe<AttachmentTarget>(LOAD, [id]),
      completed: ({ record }, { id }) => record(uploadCompleted({ kind: "attachment", id })),
      shown: (row) => render(row, attachmentCapabilities(context, row)),
    }),
);

/** Tells storage whether an upload URL still belongs to an open reservation. */
export const uploadsOf = (reader: Pool) => (key: string) => {
  const [, workspaceId = "", id = ""] = key.split("/");
  return inWorkspace(reader, workspaceId, (tx) => store.isOpen(tx, workspaceId, id));
};
