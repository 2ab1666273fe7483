// The content of a Document in its two formats, which are two views of the same content. Every change creates an
// immutable revision, whose number is the ETag of the content; the Document's own revision counts other changes.
import Type from "typebox";
import { M, op, S } from "../../../kit.ts";
import { MarkdownText, object, Revision } from "../../../types.ts";

const content_revision = { ...Revision, description: "Newest revision of the content, and its ETag." };
const SHORT = {
  type: "doc",
  content: [{ type: "paragraph", content: [{ type: "text", text: "We plan on Mondays." }] }],
};
/** Validated against the schema of Documents by its reader. */
export const Content = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  description:
    "ProseMirror JSON: a doc of paragraph, heading, bullet_list, ordered_list, blockquote, callout, details, " +
    "code_block, table, divider and footnote, with text, hard_break, image, file, " +
    "mention and footnote_reference in them, and the marks link, bold, italic, strike, underline, " +
    "highlight and code.",
  examples: [SHORT],
});
export const DocumentContent = object({ content: Content, content_revision });
export const DocumentMarkdown = object({
  markdown: { ...MarkdownText, description: "CommonMark and GitHub Flavored Markdown; HTML is treated as text." },
  content_revision,
});

const written =
  "If-Match is the content_revision that the change is based on. Edits typed since then become a " +
  "revision first, so that they are never overwritten unread. With If-Match: * the change is merged. " +
  "A write without a change creates no revision. A new mention of something that the writer cannot " +
  "see becomes plain text; existing mentions remain. Files must be attached to the Document.";
const live =
  "During collaborative editing, a read creates a revision of the edits so far, unless the last one " +
  "is less than 30 seconds old: then that revision and its ETag are returned. Your own acknowledged " +
  "edits are always included.";
const refused = [
  "project_archived",
  "document_trashed",
  "invalid_reference",
  "document_too_large",
  "document_too_complex",
] as const;

export const getDocumentContent = op("GET /documents/{document_id}/content", "Read the content of a Document", {
  description: live,
  auth: [S, M],
  unchanging: true,
  returns: DocumentContent,
});

export const replaceDocumentContent = op("PUT /documents/{document_id}/content", "Replace the content of a Document", {
  description: written,
  auth: [S],
  ifMatch: "required",
  body: object({ content: Content }),
  example: { content: SHORT },
  returns: DocumentContent,
  errors: refused,
});

export const getDocumentMarkdown = op("GET /documents/{document_id}/markdown", "Read a Document as Markdown", {
  description: live,
  auth: [S],
  unchanging: true,
  returns: DocumentMarkdown,
});

export const replaceDocumentMarkdown = op(
  "PUT /documents/{document_id}/markdown",
  "Replace the content of a Document with Markdown",
  {
    description:
      `${written} The answer has the normalised Markdown that later reads return. References are links: ` +
      "[ENG-1](svc:task/ENG-1), by id or by code, username, path or key; files and pictures link to " +
      "attachment: and their id.",
    auth: [S],
    ifMatch: "required",
    body: object({ markdown: MarkdownText }),
    example: { markdown: "# How we plan\n\nWe plan on Mondays." },
    returns: DocumentMarkdown,
    errors: refused,
  },
);
