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
  id: { ...Id, description: "Id; for a person or an Agent, of the Actor." },
  code: nullable(
    Type.String({
      description:
        "Code of a Task or Milestone, key of a Project, path of a Document, or username of a person or an " + "Agent.",
      examples: ["ENG-12"],
    }),
  ),
  name: { ...nullable(Type.String()), description: "Title or name." },
  project_id: nullable(Id),
  picture_url: { ...PictureUrl, description: "Picture of a person." },
});
export const ReferenceOptions = object({ items: Type.Array(ReferenceOption, { maxItems: MOST_OPTIONS }) });

export const listReferenceOptions = op("GET /workspaces/{workspace_id}/reference-options", "Find mention suggestions", {
  description:
    "Finds people and Agents by the beginning of a name; Tasks and Documents by words, as search does, " +
    "and Tasks also by the beginning of a code; Projects by key or name and Milestones by code or " +
    `name, among ${MOST_NAMES} of each: Projects in their order, the newest Milestones. Exact matches ` +
    "come first, then prefixes, then the rest, with the kinds alternating. Without q it lists nearby " +
    "items: your own open Tasks, the Documents that changed last, Projects in their order, the newest " +
    "Milestones, people by username. Items that you cannot see, in the trash or archived are left out, " +
    "unless search finds them.",
  auth: [S, T, C, M],
  query: object({
    q: Type.Optional({
      ...Line(200),
      description: "Typed text, without the leading @ or #.",
      examples: ["eng-1"],
    }),
    kinds: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: `^(?:${referenceKinds.join("|")})(?:,(?:${referenceKinds.join("|")})){0,4}$`,
        description: `Some of ${referenceKinds.join(", ")}, separated by commas; all if omitted.`,
        examples: ["person,task"],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_OPTIONS, description: "Number of options; 20 if omitted." }),
    ),
  }),
  returns: ReferenceOptions,
});
