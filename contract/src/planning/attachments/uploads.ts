// Uploads a file: reserve, send the bytes straight to storage, complete. The bytes never pass through this interface,
// and storage never sees the caller's credential.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import { Id, object, single, Timestamp } from "../../types.ts";
import { Attachment, ContentType, Filename, Sha256, Size } from "./attachments.ts";

export const UploadTarget = object({
  url: Type.String({ examples: ["https://files.example.com/objects/attachments/0198?X-Amz-Signature=5f3c"] }),
  method: Type.Enum(["PUT"]),
  headers: Type.Record(Type.String(), Type.String(), {
    description: "Headers to send exactly as given, beside Content-Length, and no others: never your credential.",
    examples: [{ "content-type": "image/png" }],
  }),
  expires_at: { ...Timestamp, description: "Time until which the URL can be used; RFC 3339, UTC, milliseconds." },
});
export const AttachmentUpload = single(
  object({
    id: Id,
    filename: Filename,
    content_type: ContentType,
    size: Size,
    sha256: Sha256,
    upload: UploadTarget,
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);

export const createAttachmentUpload = op("POST /attachment-uploads", "Reserve the upload of a file", {
  description:
    "Returns the URL for the upload: start it within a quarter of an hour and complete it within an " +
    "hour. Send a PUT with exactly these bytes and these headers, and without your credential. Storage " +
    "refuses any other length, type or checksum, and data that arrives after the upload was completed, " +
    "cancelled or expired is removed. Then complete the upload. A file has at most 100 MiB, unless the " +
    "operator has set another limit. You have at most 50 open reservations and 200 files that are not " +
    "attached; a cancelled or deleted one counts until its hour is over.",
  auth: [S, M],
  workspaceHeader: true,
  status: 201,
  creates: "/attachment-uploads/{id}",
  secret: true,
  body: object({ filename: Filename, content_type: ContentType, size: Size, sha256: Sha256 }),
  example: {
    filename: "gears.png",
    content_type: "image/png",
    size: 48213,
    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
  returns: AttachmentUpload,
  errors: ["not_found", "forbidden", "plan_limit", "limit_reached", "upload_too_large"],
});

export const deleteAttachmentUpload = op("DELETE /attachment-uploads/{upload_id}", "Cancel an upload", {
  description: "Only the person who reserved the upload sees it. Data that was already sent is removed.",
  auth: [S, M],
  private: true,
  errors: ["upload_completed"],
});

export const completeAttachmentUpload = op("POST /attachment-uploads/{upload_id}/complete", "Complete an upload", {
  description:
    "Checks that the file has the announced length, checksum and type, and makes it an attachment with " +
    "the id of the upload. Only you see it until it is attached; it is removed if that does not happen " +
    "within a day. Completing it again returns the same attachment.",
  auth: [S, M],
  status: 201,
  creates: "/attachments/{id}",
  private: true,
  returns: Attachment,
  errors: ["upload_expired", "upload_incomplete", "invalid_upload"],
});
