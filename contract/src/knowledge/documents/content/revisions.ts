// Content revisions of a Document. They are immutable: a restore creates a new revision, and two can be compared.
import Type from "typebox";
import { list, op, S } from "../../../kit.ts";
import { Id, MarkdownText, nullable, object, PictureUrl, Revision, Timestamp } from "../../../types.ts";
import { DocumentContent } from "./content.ts";

const Author = object({
  actor_id: Id,
  display_name: nullable(Type.String()),
  username: nullable(Type.String()),
  picture_url: PictureUrl,
});
export const DocumentRevision = object({
  document_id: Id,
  revision: { ...Revision, description: "Number of the content revision." },
  reason: Type.Enum(["write", "session", "restore", "sync"]),
  authors: Type.Array(Author, { description: "Authors of the revision, the latest first." }),
  size: Type.Integer({ minimum: 0, description: "Number of characters of the Markdown." }),
  created_at: Timestamp,
});
export const FullDocumentRevision = object({
  ...DocumentRevision.properties,
  content: DocumentContent.properties.content,
  markdown: MarkdownText,
});

export const listDocumentRevisions = list(
  "GET /documents/{document_id}/revisions",
  "List the revisions of a Document, newest first",
  { auth: [S], include: ["people"], items: DocumentRevision },
);

export const getDocumentRevision = op(
  "GET /documents/{document_id}/revisions/{revision}",
  "Read a revision of a Document",
  { auth: [S], include: ["people"], returns: FullDocumentRevision },
);

export const restoreDocumentRevision = op(
  "POST /documents/{document_id}/revisions/{revision}/restore",
  "Restore a revision of a Document",
  {
    description:
      "Creates a new revision with the restored content; those in between remain. If-Match is the " +
      "content_revision. If the content is the same already, no revision is created.",
    auth: [S],
    ifMatch: "required",
    returns: DocumentContent,
    errors: ["project_archived", "document_trashed"],
  },
);

const words = Type.Array(object({ kind: Type.Enum(["same", "removed", "added"]), text: Type.String() }));
const place = (of: string) => ({ ...nullable(Type.Integer()), description: `Index of the block in ${of}, from 0.` });
export const BlockDifference = object({
  kind: Type.Enum(["same", "removed", "added", "changed"]),
  node: Type.String({ description: "Type of the block: paragraph, heading, table …" }),
  from: place("the first revision"),
  to: place("the second revision"),
  words,
});
export const DocumentComparison = object({
  from: { ...Revision, examples: ["1"] },
  to: { ...Revision, examples: ["2"] },
  blocks: Type.Array(BlockDifference),
  markdown_diff: Type.String({ description: "Unified diff of the Markdown; empty if nothing differs." }),
});

const PathRevision = Type.String({ minLength: 1, maxLength: 18, pattern: "^[1-9][0-9]*$", examples: ["1"] });
export const compareDocumentRevisions = op(
  "GET /documents/{document_id}/revisions/compare",
  "Compare two revisions of a Document",
  {
    description:
      "Compares any two revisions, in either order: block by block, and word by word in blocks that " +
      "changed. If very much differs, everything between the common beginning and the common end is " +
      "shown as replaced.",
    auth: [S],
    query: object({ from: PathRevision, to: PathRevision }),
    returns: DocumentComparison,
    errors: ["document_too_complex"],
  },
);
