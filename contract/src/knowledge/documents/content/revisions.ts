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
  revision: { ...Revision, description: "Its number among those of the content." },
  reason: Type.Enum(["write", "session", "restore", "sync"]),
  authors: Type.Array(Author, { description: "Whoever wrote it, the last of them first." }),
  size: Type.Integer({ minimum: 0, description: "Characters of the Markdown." }),
  created_at: Timestamp,
});
export const FullDocumentRevision = object({
  ...DocumentRevision.properties,
  content: DocumentContent.properties.content,
  markdown: MarkdownText,
});

export const listDocumentRevisions = list(
  "GET /documents/{document_id}/revisions",
  "List the revisions of what a Document says, newest first",
  { auth: [S], include: ["people"], items: DocumentRevision },
);

export const getDocumentRevision = op(
  "GET /documents/{document_id}/revisions/{revision}",
  "Read a revision of what a Document says",
  { auth: [S], include: ["people"], returns: FullDocumentRevision },
);

export const restoreDocumentRevision = op(
  "POST /documents/{document_id}/revisions/{revision}/restore",
  "Let a Document say again what it said",
  {
    description:
      "As a new revision: those in between stay. If-Match is the content_revision. " +
      "Where the Document says the same already, there is no new one.",
    auth: [S],
    ifMatch: "required",
    returns: DocumentContent,
    errors: ["project_archived", "document_trashed"],
  },
);

const words = Type.Array(object({ kind: Type.Enum(["same", "removed", "added"]), text: Type.String() }));
const place = (of: string) => ({ ...nullable(Type.Integer()), description: `Which block of ${of} it is, from 0.` });
export const BlockDifference = object({
  kind: Type.Enum(["same", "removed", "added", "changed"]),
  node: Type.String({ description: "What it is: paragraph, heading, table …" }),
  from: place("the first revision"),
  to: place("the second revision"),
  words,
});
export const DocumentComparison = object({
  from: { ...Revision, examples: ["1"] },
  to: { ...Revision, examples: ["2"] },
  blocks: Type.Array(BlockDifference),
  markdown_diff: Type.String({ description: "A unified diff of the Markdown; empty where nothing differs." }),
});

const PathRevision = Type.String({ minLength: 1, maxLength: 18, pattern: "^[1-9][0-9]*$", examples: ["1"] });
export const compareDocumentRevisions = op(
  "GET /documents/{document_id}/revisions/compare",
  "Compare two revisions of what a Document says",
  {
    description:
      "Any two, in either order: block by block, and in those that changed word by word. Where very much differs, " +
      "all between the common beginning and the common end is shown as replaced.",
    auth: [S],
    query: object({ from: PathRevision, to: PathRevision }),
    returns: DocumentComparison,
    errors: ["document_too_complex"],
  },
);
