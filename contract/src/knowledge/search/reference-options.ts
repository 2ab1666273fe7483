// Options of a mention picker, searched while a person types.
import Type from "typebox";
import { C, M, op, S, T } from "../../kit.ts";
import { Id, Line, nullable, object, PictureUrl } from "../../types.ts";

export const referenceKinds = ["person", "task", "document", "project", "milestone"] as const;
/** Projects, and Milestones, whose names one search compares. */
export const MOST_NAMES = 500;
export const MOST_OPTIONS = 50;

export const ReferenceOption = object({
  kind: Type.Enum([...referenceKinds]),
  id: { ...Id, description: "Of a person or an Agent, the Actor." },
  code: nullable(
    Type.String({
      description:
        "Of a Task or Milestone its code, of a Project its key, of a Document its path, of a person or an Agent " +
        "the username.",
      examples: ["ENG-12"],
    }),
  ),
  name: { ...nullable(Type.String()), description: "Its title or name." },
  project_id: nullable(Id),
  picture_url: { ...PictureUrl, description: "Of a person." },
});
export const ReferenceOptions = object({ items: Type.Array(ReferenceOption, { maxItems: MOST_OPTIONS }) });

export const listReferenceOptions = op(
  "GET /workspaces/{workspace_id}/reference-options",
  "Find what can be mentioned, while somebody types",
  {
    description:
      "People and Agents by the beginning of a name; Tasks and Documents by words, as search finds them, " +
      "and Tasks by the beginning of a code; Projects by key or name, and Milestones by code or name, " +
      `of which ${MOST_NAMES} of each are looked at: Projects in their order, the newest Milestones. ` +
      "First what is named exactly, then what begins so, then the rest, and the kinds in turn. " +
      "Without q what is near: your own open Tasks, the Documents that changed last, Projects in their " +
      "order, the newest Milestones, people by username. Left out are what you do not see, " +
      "what is in the trash and what is archived, unless search finds it.",
    auth: [S, T, C, M],
    query: object({
      q: Type.Optional({
        ...Line(200),
        description: "What was typed, without the @ or # before it.",
        examples: ["eng-1"],
      }),
      kinds: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          pattern: `^(?:${referenceKinds.join("|")})(?:,(?:${referenceKinds.join("|")})){0,4}$`,
          description: `Some of ${referenceKinds.join(", ")}, separated by commas; all without it.`,
          examples: ["person,task"],
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_OPTIONS, description: "20 unless you say." })),
    }),
    returns: ReferenceOptions,
  },
);
