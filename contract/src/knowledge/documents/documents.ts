// Documents: a tree of texts in a Workspace or in one of its Projects. This file declares a Document's title, place and
// path; its content is separate and has revisions of its own.
import Type from "typebox";
import { list, M, op, S } from "../../kit.ts";
import { LabelIds } from "../../planning/labels/assignments.ts";
import { looking } from "../../planning/tasks/lists/filters.ts";
import {
  Id,
  Line,
  ListOrder,
  MarkdownText,
  nullable,
  object,
  patch,
  Revision,
  resource,
  several,
  single,
  Timestamp,
  Title,
} from "../../types.ts";

/** Documents that one call can move, rename, trash or restore, descendants included. */
export const MOST_AT_ONCE = 10_000;
export const MOST_LEVELS = 20;

const writable = {
  title: Title(500),
  icon: nullable(Line(64)),
  parent_id: {
    ...nullable(Id),
    description: "Parent Document; null: at the top of its Project or of the Workspace.",
  },
  project_id: {
    ...nullable(Id),
    description:
      "Project that determines who sees the Document; null: every member of the Workspace. Documents " +
      "below it have the same Project.",
  },
};
const neighbours = {
  after_document_id: {
    ...nullable(Id),
    description: "The Document to come after, below the same parent; null is the first place.",
  },
  before_document_id: {
    ...nullable(Id),
    description: "The Document to come before, below the same parent; null is the last place.",
  },
};

export const DocumentRow = object({
  ...resource,
  workspace_id: Id,
  ...writable,
  path: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      "Path from the top, made of the titles as words of a URL. It changes with the title and the place " +
      "of the Document and of those above it; its former paths still find it.",
    examples: ["handbook/how-we-plan"],
  }),
  position: Type.Number({
    description: "Order below one parent, ascending. It may change without a new revision when others are moved.",
  }),
  label_ids: Type.Array(Id),
  has_children: Type.Boolean({ description: "Whether the Document has children that are not archived." }),
  content_revision: { ...Revision, description: "Newest revision of the content." },
  public_id: nullable(
    Type.String({ description: "Public id of the published Document: GET /public/documents/{public_id}." }),
  ),
  published_at: nullable(Timestamp),
  archived_at: nullable(Timestamp),
  trashed_at: nullable(Timestamp),
  created_by_actor_id: Id,
});
export const Document = single(DocumentRow);

const include = ["people", "labels", "project"] as const;
const howItMoves =
  `A Document moves with all Documents below it, ${MOST_AT_ONCE.toLocaleString("en")} at most, never ` +
  `below itself, and not deeper than ${MOST_LEVELS} levels.`;
/** Errors of an invalid place in the tree. */
const unplaced = ["project_archived", "invalid_reference", "document_too_deep"] as const;

export const listDocuments = list("GET /workspaces/{workspace_id}/documents", "List the Documents you can see", {
  description:
    "Filters can be combined. Archived Documents and those in the trash are left out unless the " +
    "request includes them. sort: updated is newest change first, created newest first, title by code " +
    "point; position is the order below one parent, or at the top of one Project or of the Workspace " +
    "(parent_id=none with one project_id). The default is position with a parent_id, and updated " +
    "otherwise; order reverses any of them. trashed=true lists the trashed Documents, latest first, " +
    "without those that were trashed with a parent; with a parent_id it lists everything below that " +
    "Document. A page scans for a limited time until it is full: complete is false if the scan stopped " +
    "early, and next_cursor continues from there.",
  auth: [S, M],
  query: object({
    project_id: Type.Optional(several({ none: true, listed: "Documents" })),
    parent_id: Type.Optional(
      Type.String({
        minLength: 4,
        maxLength: 36,
        pattern: "^(?:none|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
        description: "Documents below this Document; none: Documents at the top.",
        examples: ["none"],
      }),
    ),
    label_id: Type.Optional(
      several({ none: true, listed: "Documents", description: "Documents with any of these labels." }),
    ),
    text: Type.Optional({
      ...Line(200),
      minLength: 1,
      description: "Text that the title contains, regardless of case.",
    }),
    archived: Type.Optional(Type.Boolean({ description: "true: only archived Documents." })),
    trashed: Type.Optional(Type.Boolean({ description: "true: only Documents in the trash." })),
    sort: Type.Optional(Type.Enum(["updated", "created", "title", "position"])),
    order: Type.Optional(ListOrder),
  }),
  include,
  beside: looking,
  items: DocumentRow,
});

export const createDocument = op("POST /workspaces/{workspace_id}/documents", "Create a Document", {
  description:
    "Creates a Document with the given markdown or empty, as the last one below its parent. Below a " +
    "parent it belongs to the parent's Project. If its path is taken, the path gets a suffix that " +
    "reveals nothing.",
  auth: [S],
  status: 201,
  creates: "/documents/{id}",
  body: object({
    ...Type.Partial(Type.Object({ ...writable, label_ids: LabelIds, markdown: MarkdownText })).properties,
    title: writable.title,
  }),
  example: { title: "How we plan", markdown: "We plan on Mondays." },
  returns: Document,
  errors: ["forbidden", ...unplaced, "document_trashed", "document_too_large", "document_too_complex"],
});

export const getDocumentByPath = op(
  "GET /workspaces/{workspace_id}/documents/by-path/{document_path}",
  "Find a Document by its path",
  {
    description:
      "Takes the current path or a former one, regardless of case, with its slashes encoded or not. If " +
      "one Document has a path that another had before, the current one is found.",
    auth: [S, M],
    include,
    returns: Document,
  },
);

export const getDocument = op("GET /documents/{document_id}", "Read a Document, without its content", {
  auth: [S, M],
  include,
  returns: Document,
});

export const updateDocument = op("PATCH /documents/{document_id}", "Change a Document, without its content", {
  description:
    `${howItMoves} parent_id also sets the Project of the parent; project_id alone moves the Document ` +
    "to the top. In another Project the Document loses the labels of the previous one and is " +
    "unpublished. after_document_id or before_document_id positions it beside another one below the " +
    "same parent; without them it becomes the last one where it moves. archived only leaves it out of " +
    "lists. published: true gives it a public_id that nobody can guess; false removes it for good, so " +
    "that publishing it later creates another one. Publishing needs documents:manage.",
  auth: [S],
  ifMatch: "required",
  withoutIfMatch: Object.keys(neighbours),
  body: patch({
    ...writable,
    label_ids: LabelIds,
    ...neighbours,
    archived: Type.Boolean(),
    published: Type.Boolean(),
  }),
  example: { title: "How we plan a quarter" },
  returns: Document,
  errors: ["project_private", ...unplaced, "document_trashed", "document_tree_too_large"],
});

export const listDocumentChildren = list(
  "GET /documents/{document_id}/children",
  "List the children of a Document, in their order",
  {
    auth: [S, M],
    query: object({
      archived: Type.Optional(Type.Boolean({ description: "true: only archived Documents." })),
    }),
    include,
    items: DocumentRow,
  },
);
