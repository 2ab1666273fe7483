// One question over everything in a Workspace that has words.
import Type from "typebox";
import { C, list, M, S, T } from "../kit.ts";
import { Category, Id, nullable, object, TaskCode, Timestamp } from "../types.ts";

const Matches = Type.Array(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 }), {
  examples: [[[0, 3]]],
  description: "Where the words stand, as [start, end) in UTF-16 code units.",
});

export const SearchResult = object({
  kind: Type.Enum(["task", "comment"]),
  type: { ...Type.Enum(["task", "comment"]), description: "The same as kind, by its older name." },
  id: Id,
  project_id: Id,
  task_id: Id,
  code: { ...TaskCode, description: "Of the Task; of a comment, that of its Task." },
  title: Type.String({ description: "Of the Task; of a comment, that of its Task." }),
  title_matches: Matches,
  snippet: Type.String({ description: "Plain text around the first match in the description or the comment." }),
  snippet_matches: Matches,
  status_id: Id,
  author_actor_id: Id,
  assignee_actor_id: nullable(Id),
  updated_at: Timestamp,
  score: Type.Number({ description: "Comparable within one answer." }),
});

export const search = list("GET /workspaces/{workspace_id}/search", "Search Tasks and comments", {
  description:
    "Every word must be there, in any order; the last one may be the beginning of a word. A word that nothing has is taken for a mistyped one, and words like it in the titles are found instead. Titles weigh more than descriptions and those more than comments, and what is recent more than what is old. A code such as ENG-12, in any case, answers its Task first. Of a word that very much has, the newest matches are ranked. At most 900 matches are ranked. Trashed Tasks, deleted comments and what the caller does not see are left out.",
  auth: [S, M, T, C],
  query: object({
    q: Type.String({
      minLength: 1,
      maxLength: 400,
      format: "title",
      description: "1 to 200 characters after trimming.",
      examples: ["gears"],
    }),
    type: Type.Optional(Type.Enum(["task", "comment"])),
    project_id: Type.Optional(Id),
    category: Type.Optional({ ...Category, description: "Of the Task's Status." }),
  }),
  include: ["status", "assignee", "people", "project", "task"],
  items: SearchResult,
});
