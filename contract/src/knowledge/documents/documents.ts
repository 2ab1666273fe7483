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
    description: "The Document that it stands below; null: at the top of its Project or of the Workspace.",
  },
  project_id: {
    ...nullable(Id),
    description:
      "Who sees this Project sees it; null: every member of the Workspace. All that is below is in the same.",
  },
};
const neighbours = {
  after_document_id: {
    ...nullable(Id),
    description: "The Document to stand behind, below the same parent; null is the first place.",
  },
  before_document_id: {
    ...nullable(Id),
    description: "The Document to stand before, below the same parent; null is the last place.",
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
      "The titles from the top, as words of a URL. It changes with the title and the place, also of a Document " +
      "further up; each that it had leads here still.",
    examples: ["handbook/how-we-plan"],
  }),
  position: Type.Number({
    description: "Order below one parent, ascending. It may change without a new revision, where others need room.",
  }),
  label_ids: Type.Array(Id),
  has_children: Type.Boolean({ description: "Whether Documents stand below it that are not archived." }),
  content_revision: { ...Revision, description: "The newest revision of its content." },
  public_id: nullable(Type.String({ description: "Where it is published: GET /public/documents/{public_id}." })),
  published_at: nullable(Timestamp),
  archived_at: nullable(Timestamp),
  trashed_at: nullable(Timestamp),
  created_by_actor_id: Id,
});
export const Document = single(DocumentRow);

const include = ["people", "labels", "project"] as const;
const howItMoves =
  "A Document goes wherever it goes with all that is below it, " +
  `${MOST_AT_ONCE.toLocaleString("en")} at most, ` +
  `never below itself, and not deeper than ${MOST_LEVELS} levels.`;
/** Errors of an invalid place in the tree. */
const unplaced = ["project_archived", "invalid_reference", "document_too_deep"] as const;

export const listDocuments = list("GET /workspaces/{workspace_id}/documents", "List the Documents you can see", {
  description:
    "Filters can be combined. Left out are archived ones and those in the trash, unless asked for. sort: " +
    "updated is newest change first, created newest first, title by code point; position is the order below one " +
    "parent, or at the top of one Project or of the Workspace (parent_id=none with one project_id). " +
    "It is position where a parent is named, and updated otherwise; order turns any of them round. " +
    "trashed=true lists what was thrown away, latest first, without what only went along; " +
    "with a parent_id all that is below that one. A page that is not full goes on looking, " +
    "but not for long: complete is false where it stopped before it had looked at everything, " +
    "and next_cursor goes on from there.",
  auth: [S, M],
  query: object({
    project_id: Type.Optional(several({ none: true, listed: "Documents" })),
    parent_id: Type.Optional(
      Type.String({
        minLength: 4,
        maxLength: 36,
        pattern: "^(?:none|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
        description: "Those below this Document; none: those at the top.",
        examples: ["none"],
      }),
    ),
    label_id: Type.Optional(
      several({ none: true, listed: "Documents", description: "Those with any of these labels." }),
    ),
    text: Type.Optional({ ...Line(200), minLength: 1, description: "The title contains it, in any case." }),
    archived: Type.Optional(Type.Boolean({ description: "true: the archived ones, and only those." })),
    trashed: Type.Optional(Type.Boolean({ description: "true: the trash, and nothing else." })),
    sort: Type.Optional(Type.Enum(["updated", "created", "title", "position"])),
    order: Type.Optional(ListOrder),
  }),
  include,
  beside: looking,
  items: DocumentRow,
});

export const createDocument = op("POST /workspaces/{workspace_id}/documents", "Create a Document", {
  description:
    "It says what markdown says, or nothing, and stands last below its parent. " +
    "Below a parent it is in the parent's Project. Where its path is taken, it gets a suffix that tells nothing.",
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
      "By the path that it has, or one that it had; in any case, and with its slashes encoded or not. " +
      "Where one has a path that another had, the one that has it is found.",
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
    `${howItMoves} parent_id takes over the Project of the parent; project_id alone moves what is ` +
    "at the top. " +
    "In another Project it bears no labels of the old one, and is not published any more. " +
    "after_document_id or before_document_id puts it beside another one below the same parent; " +
    "without them it comes last where it moves. archived leaves it out of lists, and nothing else. " +
    "published gives it a public_id that nobody can guess, or takes that away for good: " +
    "publishing it later makes another one. That needs documents:manage.",
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
  "List the Documents below a Document, in their order",
  {
    auth: [S, M],
    query: object({
      archived: Type.Optional(Type.Boolean({ description: "true: the archived ones, and only those." })),
    }),
    include,
    items: DocumentRow,
  },
);
