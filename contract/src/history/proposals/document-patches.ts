// Document patches: drafts that edit the blocks of a Document against one exact revision. A draft is private to its
// author, and a version of it is immutable. A ChangeSet that names it applies it.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { BlockDifference } from "../../knowledge/documents/content/revisions.ts";
import { Id, MarkdownText, MOST_MARKDOWN, nullable, object, Revision, single, Timestamp } from "../../types.ts";

export const MOST_EDITS = 100;
export const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

const Block = Type.Integer({ minimum: 0, maximum: 1_000_000 });
/**
 * One schema for all actions, so that a validation error points at the field; the description names the fields of each
 * action.
 */
export const DocumentEdit = object({
  action: Type.Enum(["replace", "insert_after", "remove", "find_replace", "rewrite"]),
  block: Type.Optional({
    ...nullable(Block),
    description:
      "Index of the block in base_revision, from 0, as GET .../content lists them. Null in insert_after " +
      "is the beginning.",
  }),
  count: Type.Optional({
    ...Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    description: "For replace and remove: number of blocks from there on; 1 if omitted.",
  }),
  markdown: Type.Optional({
    ...MarkdownText,
    description: "For replace and insert_after: the new blocks. For rewrite: the whole new content.",
  }),
  find: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MOST_MARKDOWN,
      format: "text",
      description: "For find_replace: Markdown that occurs exactly once in base_revision, within one block.",
    }),
  ),
  replace: Type.Optional({ ...MarkdownText, description: "For find_replace: the replacement." }),
});

export const DocumentPatch = single(
  object({
    id: Id,
    version: Version,
    latest_version: Version,
    newest_version: { ...Version, description: "Deprecated: use latest_version.", deprecated: true },
    document_id: Id,
    base_revision: { ...Revision, description: "The content_revision that the patch is based on." },
    current_revision: { ...Revision, description: "Current content_revision of the Document." },
    moved_on: Type.Boolean({
      description:
        "Whether the Document has a newer revision than base_revision. Send the patch again with " +
        "current_revision and without edits to rebase it, if nothing overlaps.",
    }),
    edits: Type.Array(DocumentEdit),
    markdown: { ...MarkdownText, description: "Content of the Document after the patch." },
    blocks: Type.Array(BlockDifference, { description: "Changed blocks, as in a comparison of two revisions." }),
    markdown_diff: Type.String({ description: "Unified diff." }),
    created_at: Timestamp,
  }),
);

export const draftDocumentPatch = op("POST /workspaces/{workspace_id}/document-patches", "Draft a Document patch", {
  description:
    `Takes 1 to ${MOST_EDITS} edits of the content at base_revision; no two may touch the same block. ` +
    "rewrite must be the only edit, and is stored as edits of the blocks that it changes. With " +
    "patch_id and its newest version it creates the next version: with other edits, or without edits " +
    "to rebase the same ones on another base_revision, if nothing that they touch has changed. The " +
    "Document does not change: name the patch in a ChangeSet. Everyone who can read the Document may " +
    "draft a patch, viewers too: a draft is private to its author.",
  auth: [S],
  private: true,
  idempotencyKey: "required",
  quiet: "A draft is private to its author; the change of the Document is recorded when it is applied.",
  body: object({
    document_id: Id,
    base_revision: { ...Revision, maxLength: 18, pattern: "^\\d{1,18}$", examples: ["3"] },
    edits: Type.Optional(Type.Array(DocumentEdit, { minItems: 1, maxItems: MOST_EDITS })),
    patch_id: Type.Optional(Id),
    version: Type.Optional(Version),
  }),
  example: {
    document_id: "01980000-0000-7000-8000-000000000001",
    base_revision: "3",
    edits: [{ action: "find_replace", find: "brass", replace: "steel" }],
  },
  returns: DocumentPatch,
  errors: [
    "too_many_kept",
    "invalid_reference",
    "revision_conflict",
    "document_patch_conflict",
    "document_too_large",
    "document_too_complex",
  ],
});

export const getDocumentPatch = op("GET /workspaces/{workspace_id}/document-patches/{id}", "Read a Document patch", {
  description: "Returns an exact version. It is not found if you can no longer see its Document.",
  auth: [S],
  query: object({ version: Version }),
  returns: DocumentPatch,
});
