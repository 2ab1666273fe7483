// Finds work on the command line: the caller's own Tasks, and Tasks that match a text. Answers identify Tasks by code
// only.
import Type from "typebox";
import { C, list, T } from "../../kit.ts";
import { howToGoOn, looking } from "../../planning/tasks/lists/filters.ts";
import { nullable, object } from "../../types.ts";
import { CliTaskRow } from "./tasks.ts";

const auth = [T, C] as const;

export const listCliWork = list("GET /cli/my-work", "List your open Tasks", {
  description:
    "Lists Tasks that are assigned to you and neither done nor cancelled: first those with a due date, " +
    "the soonest first, then the others, the latest change first. Tasks in the trash and in archived " +
    `Projects are left out. ${howToGoOn}`,
  auth,
  beside: looking,
  items: CliTaskRow,
  errors: ["not_found"],
});

export const CliFound = object({
  kind: Type.Enum(["task", "document"]),
  resource_type: { ...Type.Enum(["task", "document"]), description: "Former name of kind." },
  code: Type.String({ description: "Code of a Task, or path of a Document." }),
  title: Type.String(),
  project_code: {
    ...nullable(Type.String()),
    description: "Project of the result; null: a Document without a Project.",
  },
});

export const searchCli = list("GET /cli/search", "Search for Tasks and Documents", {
  description:
    "Lists the best match first, as in the search of the Workspace. Answers 404 if project_code is no " +
    "Project that you see.",
  auth,
  query: object({
    q: Type.String({
      minLength: 1,
      maxLength: 400,
      format: "title",
      description: "1 to 200 characters after trimming.",
      examples: ["gears"],
    }),
    project_code: Type.Optional(Type.String({ minLength: 1, maxLength: 64, format: "line" })),
    resource_type: Type.Optional(Type.Enum(["task", "document"])),
  }),
  items: CliFound,
  errors: ["not_found"],
});
