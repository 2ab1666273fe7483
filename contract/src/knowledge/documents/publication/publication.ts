// The public view of a published Document: its title and content. Nothing in it links into the Workspace: a mention is
// plain text, and a mentioned Task or Milestone is its bare code.
import Type from "typebox";
import { op, P } from "../../../kit.ts";
import { AttachmentUrl } from "../../../planning/attachments/attachments.ts";
import { Line, nullable, object, PublicId, Timestamp } from "../../../types.ts";
import { Content } from "../content/content.ts";

export const PublicDocument = object({
  public_id: PublicId,
  title: Type.String(),
  icon: nullable(Type.String()),
  locale: { ...Line(35), description: "Language in the Workspace's settings.", examples: ["en"] },
  published_at: Timestamp,
  updated_at: { ...Timestamp, description: "Time of the last change of the content." },
  content: {
    ...Content,
    description:
      "ProseMirror JSON as of any Document, with mentions as text: the code of Tasks and Milestones, the " +
      "key of Projects (neither if the Project is private), and the name of people; a mention of a " +
      "published Document becomes a link to its page.",
  },
});

export const getPublicDocument = op("GET /public/documents/{public_id}", "Read a published Document", {
  description: "Answers 404 once the Document is unpublished, in the trash or moved to another Project.",
  auth: [P],
  returns: PublicDocument,
});

const giving = {
  auth: [P],
  secret: true,
  returns: AttachmentUrl,
  quiet: "Nothing changes; the audit log records the request.",
} as const;
export const downloadPublicAttachment = op(
  "POST /public/documents/{public_id}/attachments/{attachment_id}/download",
  "Get a URL to save a file of a published Document from",
  {
    ...giving,
    description:
      "The current content must contain the file. Request a new URL after 60 seconds; the URL answers " +
      "404 as soon as the Document is no longer published.",
    errors: ["scan_pending", "scan_failed", "attachment_infected"],
  },
);
export const previewPublicAttachment = op(
  "POST /public/documents/{public_id}/attachments/{attachment_id}/preview",
  "Get a URL to show a picture of a published Document from",
  {
    ...giving,
    description:
      "Returns a URL of the preview, or of the original until the preview exists. The current content " +
      "must contain the picture. Request a new URL after 60 seconds; the URL answers 404 as soon as the " +
      "Document is no longer published.",
    errors: ["scan_pending", "scan_failed", "attachment_infected", "preview_unavailable"],
  },
);
