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
      "Returns the URL for the upload: start it within a quarter of an hour and complete it within an " +
      "hour. Send a PUT with exactly these bytes and these headers, and without your credential. The URL " +
      "accepts one file of this length and nothing else: treat it as a credential. A file has at most 20 " +
      "MiB. You have at most 50 open reservations, and at most 200 files including them.",
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
  { ...writing, description: "Data that was already sent is removed.", errors: ["upload_completed"] },
);
export const completeDiscussUpload = op(
  "POST /workspaces/{workspace_id}/discuss/uploads/{upload_id}/complete",
  "Complete the upload of a private file",
  {
    ...reading,
    quiet: writing.quiet,
    description:
      "Checks that the file has the announced length, checksum and type. The file has the id of the " +
      "upload, and is retained until you delete it or leave the Workspace. Completing it again returns " +
      "the same file.",
    status: 201,
    creates: "/workspaces/{workspace_id}/discuss/files/{id}",
    returns: PrivateFile,
    errors: ["upload_expired", "upload_incomplete", "invalid_upload"],
  },
);
