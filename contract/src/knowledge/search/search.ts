// Full-text search over all content of a Workspace.
import Type from "typebox";
import { C, list, M, S, T } from "../../kit.ts";
import { Category, Id, nullable, object, TaskCode, Timestamp } from "../../types.ts";

const Matches = Type.Array(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 }), {
  examples: [[[0, 3]]],
  description: "Where the words stand, as [start, end) in UTF-16 code units.",
});

const Kind = Type.Enum(["task", "comment", "document"]);
export const SearchResult = object({
  kind: Kind,
  type: { ...Kind, description: "The same as kind, by its older name." },
  id: Id,
  project_id: { ...nullable(Id), description: "Null: a Document that is in no Project." },
  task_id: { ...nullable(Id), description: "Null: a Document." },
  code: { ...nullable(TaskCode), description: "Of the Task; of a comment, that of its Task; null: a Document." },
  path: { ...nullable(Type.String()), description: "Of a Document." },
  title: Type.String({ description: "Of the Task or Document; of a comment, that of its Task." }),
  title_matches: Matches,
  snippet: Type.String({
    description: "Plain text around the first match in the description, the comment or the Document.",
  }),
  snippet_matches: Matches,
  status_id: { ...nullable(Id), description: "Null: a Document." },
  author_actor_id: Id,
  assignee_actor_id: nullable(Id),
  updated_at: Timestamp,
  score: Type.Number({ description: "Comparable within one answer." }),
});

export const search = list("GET /workspaces/{workspace_id}/search", "Search Tasks, comments and Documents", {
  description:
    "Every word must be there, in any order; the last one may be the beginning of a word. " +
    "A word that nothing has is taken for a mistyped one, and words like it in the titles are found instead. " +
    "Titles weigh more than descriptions and what Documents say, and those more than comments, " +
    "and what is recent more than what is old. A code such as ENG-12, in any case, answers its Task first. " +
    "Of a word that very much has, the newest matches are ranked. At most 900 matches are ranked. " +
    "Of a Document the first 100,000 characters are looked at. Trashed Tasks and Documents, " +
    "deleted comments and what the caller does not see are left out.",
  auth: [S, M, T, C],
  query: object({
    q: Type.String({
      minLength: 1,
      maxLength: 400,
      format: "title",
      description: "1 to 200 characters after trimming.",
      examples: ["gears"],
    }),
    type: Type.Optional(Kind),
    project_id: Type.Optional(Id),
    category: Type.Optional({ ...Category, description: "Of the Task's Status; Documents have none." }),
  }),
  beside: {
    result_version: Type.String({
      pattern: "^[0-9a-f]{64}$",
      description: "Changes with whatever is on this page: what was found, what is told of it, and in which order.",
      examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    }),
  },
  include: ["status", "assignee", "people", "project", "task"],
  items: SearchResult,
});
