// Full-text search over all content of a Workspace.
import Type from "typebox";
import { C, list, M, S, T } from "../../kit.ts";
import { Category, Id, nullable, object, TaskCode, Timestamp } from "../../types.ts";

const Matches = Type.Array(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 }), {
  examples: [[[0, 3]]],
  description: "Positions of the matching words, as [start, end) in UTF-16 code units.",
});

const Kind = Type.Enum(["task", "comment", "document"]);
export const SearchResult = object({
  kind: Kind,
  type: { ...Kind, description: "Former name of kind." },
  id: Id,
  project_id: { ...nullable(Id), description: "Project of the match; null: a Document without a Project." },
  task_id: { ...nullable(Id), description: "Task of the match; null: a Document." },
  code: { ...nullable(TaskCode), description: "Code of the Task, or of the comment's Task; null: a Document." },
  path: { ...nullable(Type.String()), description: "Path of the Document." },
  title: Type.String({ description: "Title of the Task or Document, or of the comment's Task." }),
  title_matches: Matches,
  snippet: Type.String({
    description: "Plain text around the first match in the description, the comment or the Document.",
  }),
  snippet_matches: Matches,
  status_id: { ...nullable(Id), description: "Status of the Task; null: a Document." },
  author_actor_id: Id,
  assignee_actor_id: nullable(Id),
  updated_at: Timestamp,
  score: Type.Number({ description: "Relevance, comparable within one answer." }),
});

export const search = list("GET /workspaces/{workspace_id}/search", "Search Tasks, comments and Documents", {
  description:
    "Every word must match, in any order; the last one may be the beginning of a word. A word without " +
    "matches is treated as a misspelling and replaced with similar words of titles. Titles weigh more " +
    "than descriptions and Documents, those more than comments, and recent matches more than old ones. " +
    "A code such as ENG-12, regardless of case, returns its Task first. For a very frequent word, the " +
    "newest matches are ranked. At most 900 matches are ranked. The search covers the first 100,000 " +
    "characters of a Document. Trashed Tasks and Documents, deleted comments and anything that the " +
    "caller cannot see are left out.",
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
    category: Type.Optional({ ...Category, description: "Category of the Task's Status; Documents have none." }),
  }),
  beside: {
    result_version: Type.String({
      pattern: "^[0-9a-f]{64}$",
      description: "Version of the page: it changes with the results, their content and their order.",
      examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    }),
  },
  include: ["status", "assignee", "people", "project", "task"],
  items: SearchResult,
});
