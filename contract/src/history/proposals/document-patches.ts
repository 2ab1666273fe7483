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
      "Which block of base_revision, counted from 0 as GET .../content lists them. Of insert_after, " +
      "null is the beginning.",
  }),
  count: Type.Optional({
    ...Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    description: "Of replace and remove: so many blocks from there on; 1 unless you say.",
  }),
  markdown: Type.Optional({
    ...MarkdownText,
    description: "Of replace and insert_after: what stands there then. Of rewrite: what all of the Document says then.",
  }),
  find: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MOST_MARKDOWN,
      format: "text",
      description: "Of find_replace: Markdown that stands exactly once in base_revision, within one block.",
    }),
  ),
  replace: Type.Optional({ ...MarkdownText, description: "Of find_replace: what stands there instead." }),
});

export const DocumentPatch = single(
  object({
    id: Id,
    version: Version,
    latest_version: Version,
    newest_version: { ...Version, description: "Deprecated: use latest_version.", deprecated: true },
    document_id: Id,
    base_revision: { ...Revision, description: "The content_revision that it was made against." },
    current_revision: { ...Revision, description: "The content_revision of the Document now." },
    moved_on: Type.Boolean({
      description:
        "The Document says something newer than base_revision. Send the patch once more with current_revision and " +
        "without edits: it is put on that, where nothing overlaps.",
    }),
    edits: Type.Array(DocumentEdit),
    markdown: { ...MarkdownText, description: "What the Document would say." },
    blocks: Type.Array(BlockDifference, { description: "As comparing two revisions tells it." }),
    markdown_diff: Type.String({ description: "Unified diff." }),
    created_at: Timestamp,
  }),
);

export const draftDocumentPatch = op("POST /workspaces/{workspace_id}/document-patches", "Draft a Document patch", {
  description:
    `1 to ${MOST_EDITS} edits of what the Document says at base_revision; ` +
    "no two may touch the same block. " +
    "rewrite stands alone, and is kept as edits of the blocks that it changes. " +
    "With patch_id and its newest version this is the next version: with other edits, or without edits the same " +
    "ones on another base_revision, where nothing that they touch has changed between. " +
    "Nothing is written into the Document: name the patch in a ChangeSet. Whoever reads the Document may, " +
    "viewers too: a draft is private to its author.",
  auth: [S],
  private: true,
  idempotencyKey: "required",
  quiet: "A draft is its author's own; what becomes of the Document is told when it is written.",
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
  description: "An exact version. It is not found where you do not see its Document any more.",
  auth: [S],
  query: object({ version: Version }),
  returns: DocumentPatch,
});
