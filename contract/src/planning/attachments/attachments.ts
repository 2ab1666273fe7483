// Attachments: files that were uploaded, each attached to one Project, Task or Document. Their bytes come from storage
// through URLs that live for five minutes.
import Type from "typebox";
import { list, M, op, S } from "../../kit.ts";
import { Id, nullable, object, resource, single, Timestamp } from "../../types.ts";

export const Filename = Type.String({ minLength: 1, maxLength: 255, format: "name", examples: ["gears.png"] });
export const ContentType = Type.String({
  minLength: 3,
  maxLength: 127,
  pattern: "^[A-Za-z0-9][\\w.+-]*/[A-Za-z0-9][\\w.+-]*$",
  description: "Media type without parameters, normalised to lower case.",
  examples: ["image/png"],
});
export const Size = Type.Integer({
  minimum: 1,
  maximum: 5_242_880_000,
  description: "Size in bytes.",
  examples: [48213],
});
export const Sha256 = Type.String({
  minLength: 64,
  maxLength: 64,
  pattern: "^[0-9a-f]+$",
  description: "SHA-256 of the file, in lower-case hexadecimal digits.",
  examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
});
export const ScanState = Type.Enum(["pending", "clean", "infected", "not_scanned", "failed"]);

/** Fields of a file, whatever resource it is attached to. */
export const fileFields = {
  filename: Filename,
  content_type: ContentType,
  size: Size,
  sha256: Sha256,
  scan_state: {
    ...ScanState,
    description:
      "pending: the scanner has not checked the file yet. failed: the scanner does not accept such a " +
      "file. not_scanned: the service has no scanner. Only files that are clean or not_scanned can be " +
      "downloaded.",
  },
  has_thumbnail: Type.Boolean(),
};
export const AttachmentRow = object({
  ...resource,
  ...fileFields,
  uploaded_by_actor_id: Id,
  project_id: {
    ...nullable(Id),
    description: "Project that the file belongs to; null until it is attached, and for a Document without a Project.",
  },
  task_id: {
    ...nullable(Id),
    description: "Task that the file is attached to; null if it is attached to something else.",
  },
  document_id: {
    ...nullable(Id),
    description: "Document that the file is attached to; null if it is attached to something else.",
  },
  attached_at: nullable(Timestamp),
});
export const Attachment = single(AttachmentRow);

/** Files attached to one Task, Document or Project. */
export const MOST_ATTACHED = 100;

/** Declaration shared by the operations that attach a file. */
export const attaching = {
  status: 201,
  creates: "/attachments/{id}",
  body: object({ attachment_id: Id }),
  example: { attachment_id: "01980c5e-6a7b-7c3d-8e4f-5a6b7c8d9e0f" },
  returns: Attachment,
} as const;
export const notAttached = ["invalid_reference", "limit_reached", "attachment_infected"] as const;

export const listProjectAttachments = list(
  "GET /projects/{project_id}/attachments",
  "List the attachments of a Project itself, newest first",
  { auth: [S], include: ["people", "project"], items: AttachmentRow },
);
export const attachToProject = op("POST /projects/{project_id}/attachments", "Attach a file to a Project", {
  description:
    "Attaches a file that you have uploaded and that is not attached yet. It becomes visible to " +
    "everyone who sees the Project. A Project has at most 100 attachments of its own.",
  auth: [S],
  ...attaching,
  errors: ["project_archived", ...notAttached],
});
export const listProjectTaskAttachments = list(
  "GET /projects/{project_id}/task-attachments",
  "List the attachments of all Tasks of a Project, newest first",
  {
    description: "Attachments of Tasks in the trash are left out.",
    auth: [S],
    include: ["people", "task"],
    items: AttachmentRow,
  },
);

export const getAttachment = op("GET /attachments/{attachment_id}", "Read an attachment's metadata", {
  auth: [S, M],
  include: ["people", "project", "task"],
  returns: Attachment,
});
export const deleteAttachment = op("DELETE /attachments/{attachment_id}", "Delete an attachment and its file", {
  description: "Only the uploader, or someone who manages the work, can delete it.",
  auth: [S, M],
  ifMatch: "optional",
  errors: ["project_archived"],
});

export const AttachmentUrl = object({
  url: Type.String({ examples: ["https://files.example.com/objects/attachments/0198?X-Amz-Signature=5f3c"] }),
  content_type: ContentType,
  expires_at: Timestamp,
});
const giving = {
  auth: [S, M],
  private: true,
  secret: true,
  returns: AttachmentUrl,
  quiet: "Nothing changes; the audit log records the request.",
} as const;
export const downloadAttachment = op("POST /attachments/{attachment_id}/download", "Get a URL to save the file from", {
  ...giving,
  description: "Returns a URL that is valid for five minutes. Fetch it without your credential.",
  errors: ["scan_pending", "scan_failed", "attachment_infected"],
});
export const previewAttachment = op("POST /attachments/{attachment_id}/preview", "Get a URL to show the file from", {
  ...giving,
  description:
    "Returns a URL of a WebP of at most 512 by 512 pixels for a JPEG, PNG, WebP or GIF, or of the " +
    "original until the preview exists. Other types are refused, and so are pictures that cannot be " +
    "scaled: more than 40 megapixels or 32 MiB, or undecodable. The URL is valid for five minutes. " +
    "Fetch it without your credential.",
  errors: ["scan_pending", "scan_failed", "attachment_infected", "preview_unavailable"],
});
