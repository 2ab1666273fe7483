// The content of a Document in its two formats, which are two views of the same content. Every change creates an
// immutable revision, whose number is the ETag of the content; the Document's own revision counts other changes.
import Type from "typebox";
import { M, op, S } from "../../../kit.ts";
import { MarkdownText, object, Revision } from "../../../types.ts";

const content_revision = { ...Revision, description: "The newest revision of the content, and its ETag." };
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
  markdown: { ...MarkdownText, description: "Markdown: CommonMark and GitHub's, HTML is text." },
  content_revision,
});

const written =
  "If-Match is the content_revision that it builds on; what people have typed since then becomes a revision " +
  "first, so that it is never written over unread. With If-Match: * it is merged. " +
  "A change of nothing makes no revision. What it mentions must be seen by who writes it, or it becomes plain " +
  "text; what was mentioned before stays. Files must be attached to the Document.";
const live =
  "While people write in it, what they have typed becomes a revision when it is read, but not within 30 seconds " +
  "of the last one: then that revision and its ETag are the answer. Your own words are always in it once they " +
  "are acknowledged.";
const refused = [
  "project_archived",
  "document_trashed",
  "invalid_reference",
  "document_too_large",
  "document_too_complex",
] as const;

export const getDocumentContent = op("GET /documents/{document_id}/content", "Read what a Document says", {
  description: live,
  auth: [S, M],
  unchanging: true,
  returns: DocumentContent,
});

export const replaceDocumentContent = op("PUT /documents/{document_id}/content", "Write what a Document says", {
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

export const replaceDocumentMarkdown = op("PUT /documents/{document_id}/markdown", "Write a Document as Markdown", {
  description:
    `${written} The answer has the one spelling in which it is read from now on. References are links: ` +
    "[ENG-1](svc:task/ENG-1), by id or by code, username, path or key; files and pictures lead to attachment: " +
    "and their id.",
  auth: [S],
  ifMatch: "required",
  body: object({ markdown: MarkdownText }),
  example: { markdown: "# How we plan\n\nWe plan on Mondays." },
  returns: DocumentMarkdown,
  errors: refused,
});
