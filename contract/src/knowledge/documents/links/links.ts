// Links of a Document to Tasks and Milestones: added manually, or derived from references in its content. Each link is
// shown at both ends.
import Type from "typebox";
import { list, op, S } from "../../../kit.ts";
import { howToGoOn, looking } from "../../../planning/tasks/lists/filters.ts";
import { Id, nullable, object, Timestamp } from "../../../types.ts";
import { DocumentRow } from "../documents.ts";

/** Manual links of one Document. */
export const MOST_LINKS = 500;

const Origins = Type.Array(Type.Enum(["manual", "content"]), {
  description: "manual: a person created the link. content: the content of the Document names the target.",
  examples: [["manual"]],
});

export const DocumentLink = object({
  direction: Type.Enum(["outgoing", "incoming"], {
    description: "outgoing: from this Document. incoming: the content of another Document names this one.",
  }),
  target_kind: {
    ...Type.Enum(["task", "milestone", "document", "project", "person"]),
    description: "Kind of the linked resource.",
  },
  target_id: { ...Id, description: "Id of the linked resource; for a person, the Actor." },
  code: nullable(
    Type.String({
      description: "Code of a Task or Milestone, key of a Project, or path of a Document.",
      examples: ["ENG-12"],
    }),
  ),
  name: { ...nullable(Type.String()), description: "Title or name of the linked resource." },
  origins: Origins,
  created_by_actor_id: Id,
  created_at: Timestamp,
});

export const listDocumentLinks = list("GET /documents/{document_id}/links", "List the links of a Document", {
  description:
    "Lists its links and the Documents whose content names it, by kind. Resources that you cannot see, " +
    `in the trash or deleted are left out. ${howToGoOn}`,
  auth: [S],
  query: object({
    kind: Type.Optional(Type.Enum(["task", "milestone", "document", "project", "person"])),
  }),
  include: ["people"],
  beside: looking,
  items: DocumentLink,
});

export const linkDocument = op(
  "POST /documents/{document_id}/links/{target_kind}/{target_id}",
  "Link a Document to a Task or a Milestone",
  {
    description:
      "target_kind is task or milestone, and the target can be any that you see. A Document has at most " +
      `${MOST_LINKS} such links. An existing link is returned unchanged.`,
    auth: [S],
    status: 201,
    creates: "/documents/{document_id}/links/{target_kind}/{target_id}",
    returns: DocumentLink,
    errors: ["project_archived", "document_trashed", "task_trashed", "limit_reached"],
  },
);

export const unlinkDocument = op(
  "DELETE /documents/{document_id}/links/{target_kind}/{target_id}",
  "Remove a link between a Document and a Task or a Milestone",
  {
    description: "A target that the content names stays linked until the content no longer names it.",
    auth: [S],
    errors: ["project_archived", "document_trashed", "named_in_content"],
  },
);

export const LinkedDocument = object({ ...DocumentRow.properties, origins: Origins });
const linked = {
  description:
    "Lists Documents that are linked to it and those whose content names it; the newest Document " +
    `first. Documents in the trash and those that you cannot see are left out. ${howToGoOn}`,
  auth: [S],
  include: ["people", "labels", "project"],
  beside: looking,
  items: LinkedDocument,
} as const;
export const listTaskDocuments = list("GET /tasks/{task_id}/documents", "List the Documents of a Task", linked);
export const listMilestoneDocuments = list(
  "GET /milestones/{milestone_id}/documents",
  "List the Documents of a Milestone",
  linked,
);
