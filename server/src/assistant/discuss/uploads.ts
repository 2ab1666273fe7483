// Uploads into a member's private stream: reserved, completed or cancelled by any member, and visible to nobody else.
import { MOST_FILE_BYTES } from "@svc/contract/assistant/discuss/files.ts";
import * as contract from "@svc/contract/assistant/discuss/uploads.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { upload } from "../../planning/attachments/access.ts";
import { completeFile, discardFile, reserveFile } from "../../planning/attachments/file-change.ts";
import { implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { fileCapabilities } from "./attachments/file-rules.ts";
import { filesOf, type PrivateFile } from "./attachments/file-store.ts";

export const createDiscussUpload = implementWithEffects(
  contract.createDiscussUpload,
  workspace("workspace:read"),
  (context, { body }) => reserveFile(context, body, { isPrivate: true, most: MOST_FILE_BYTES }),
);

export const deleteDiscussUpload = implement(
  contract.deleteDiscussUpload,
  upload(true),
  async (context, { target }) => {
    if (target.state === "stored") refuse("upload_completed");
    discardFile(context, target.id);
  },
);

export const completeDiscussUpload = implementWithEffects(
  contract.completeDiscussUpload,
  upload(true),
  (context, { target }) =>
    completeFile<PrivateFile>(context, target, {
      load: async (tx, id) => (await filesOf(tx, [id]))[0],
      shown: (file) => render(file, fileCapabilities(file)),
    }),
);
