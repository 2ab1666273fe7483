// Uploads a file into a member's private stream, like an attachment: reserve, send the bytes straight to storage,
// complete.

import { op } from "../../kit.ts";
import { ContentType, Filename, Sha256, Size } from "../../planning/attachments/attachments.ts";
import { AttachmentUpload, createAttachmentUpload } from "../../planning/attachments/uploads.ts";
import { object } from "../../types.ts";
import { PrivateFile } from "./files.ts";
import { reading, writing } from "./private.ts";

export const createDiscussUpload = op(
  "POST /workspaces/{workspace_id}/discuss/uploads",
  "Reserve the upload of a private file",
  {
    ...writing,
    description:
      "Answers where to send the file: begin within a quarter of an hour, and complete within an hour; " +
      "with PUT, exactly these bytes and these headers, and without your credential. " +
      "The URL takes one file of this length and nothing else: treat it as a credential. " +
      "A file has at most 20 MiB; of reservations that are open you have at most 50, and with them at " +
      "most 200 files.",
    status: 201,
    creates: "/workspaces/{workspace_id}/discuss/uploads/{id}",
    secret: true,
    body: object({ filename: Filename, content_type: ContentType, size: Size, sha256: Sha256 }),
    example: createAttachmentUpload.example,
    returns: AttachmentUpload,
    errors: ["plan_limit", "limit_reached", "upload_too_large"],
  },
);
export const deleteDiscussUpload = op(
  "DELETE /workspaces/{workspace_id}/discuss/uploads/{upload_id}",
  "Cancel the upload of a private file",
  { ...writing, description: "What was sent already is removed.", errors: ["upload_completed"] },
);
export const completeDiscussUpload = op(
  "POST /workspaces/{workspace_id}/discuss/uploads/{upload_id}/complete",
  "Complete the upload of a private file",
  {
    ...reading,
    quiet: writing.quiet,
    description:
      "Looks whether the file is there with the announced length and checksum, and whether it is of the announced " +
      "type. The file has the id of the upload, and is kept until you delete it or leave the Workspace. " +
      "Completing again answers the same file.",
    status: 201,
    creates: "/workspaces/{workspace_id}/discuss/files/{id}",
    returns: PrivateFile,
    errors: ["upload_expired", "upload_incomplete", "invalid_upload"],
  },
);
