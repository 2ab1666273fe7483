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
  locale: { ...Line(35), description: "The language of the Workspace, as its settings name it.", examples: ["en"] },
  published_at: Timestamp,
  updated_at: { ...Timestamp, description: "When what it says was last changed." },
  content: {
    ...Content,
    description:
      "ProseMirror JSON as of any Document, without mentions: of Tasks and Milestones the code, of Projects the " +
      "key (neither if the Project is private), of people the name stands there as text, and of a published " +
      "Document a link to its page.",
  },
});

export const getPublicDocument = op("GET /public/documents/{public_id}", "Read a published Document", {
  description: "Once it is taken back, is in the trash or moves to another Project, nothing leads to it any more.",
  auth: [P],
  returns: PublicDocument,
});

const giving = {
  auth: [P],
  secret: true,
  returns: AttachmentUrl,
  quiet: "Nothing changes; the audit log says that somebody asked.",
} as const;
export const downloadPublicAttachment = op(
  "POST /public/documents/{public_id}/attachments/{attachment_id}/download",
  "Get a URL to save a file of a published Document from",
  {
    ...giving,
    description:
      "Of a file that stands in what the Document says now. Ask again after 60 seconds; " +
      "the URL answers 404 as soon as the Document is not published any more.",
    errors: ["scan_pending", "scan_failed", "attachment_infected"],
  },
);
export const previewPublicAttachment = op(
  "POST /public/documents/{public_id}/attachments/{attachment_id}/preview",
  "Get a URL to show a picture of a published Document from",
  {
    ...giving,
    description:
      "Of a picture that stands in what the Document says now: made small, or itself until that is made. " +
      "Ask again after 60 seconds; the URL answers 404 as soon as the Document is not published any more.",
    errors: ["scan_pending", "scan_failed", "attachment_infected", "preview_unavailable"],
  },
);
