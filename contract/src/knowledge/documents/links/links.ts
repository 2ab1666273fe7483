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
  description: "manual: somebody has made the link. content: the content of the Document names it.",
  examples: [["manual"]],
});

export const DocumentLink = object({
  direction: Type.Enum(["outgoing", "incoming"], {
    description: "outgoing: from this Document. incoming: the content of another Document names this one.",
  }),
  target_kind: {
    ...Type.Enum(["task", "milestone", "document", "project", "person"]),
    description: "Of what stands at the other end.",
  },
  target_id: { ...Id, description: "Of what stands at the other end; of a person, the Actor." },
  code: nullable(
    Type.String({
      description: "Of a Task or Milestone its code, of a Project its key, of a Document its path.",
      examples: ["ENG-12"],
    }),
  ),
  name: { ...nullable(Type.String()), description: "Its title or name." },
  origins: Origins,
  created_by_actor_id: Id,
  created_at: Timestamp,
});

export const listDocumentLinks = list("GET /documents/{document_id}/links", "List what a Document is linked to", {
  description:
    "Both what it is linked to and the Documents whose content names it, by kind. " +
    `Left out is what you do not see, what is in the trash and what was deleted. ${howToGoOn}`,
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
      "target_kind is task or milestone, and any that you see will do. " +
      `A Document has at most ${MOST_LINKS} such ` +
      "links. One that is there already is answered as it is.",
    auth: [S],
    status: 201,
    creates: "/documents/{document_id}/links/{target_kind}/{target_id}",
    returns: DocumentLink,
    errors: ["project_archived", "document_trashed", "task_trashed", "limit_reached"],
  },
);

export const unlinkDocument = op(
  "DELETE /documents/{document_id}/links/{target_kind}/{target_id}",
  "Take back a link between a Document and a Task or a Milestone",
  {
    description: "What the content names stays linked until the content does not name it any more.",
    auth: [S],
    errors: ["project_archived", "document_trashed", "named_in_content"],
  },
);

export const LinkedDocument = object({ ...DocumentRow.properties, origins: Origins });
const linked = {
  description:
    "Those that somebody has linked to it, and those whose content names it; the newest Document first. " +
    `Left out are those in the trash and those that you do not see. ${howToGoOn}`,
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
