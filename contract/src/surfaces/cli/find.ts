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
    "Assigned to you and neither done nor cancelled, first those with a due date, the soonest first, " +
    `then the others, the latest change first. Those in the trash and in archived Projects are left out. ${howToGoOn}`,
  auth,
  beside: looking,
  items: CliTaskRow,
  errors: ["not_found"],
});

export const CliFound = object({
  kind: Type.Enum(["task", "document"]),
  resource_type: { ...Type.Enum(["task", "document"]), description: "The same as kind, by its older name." },
  code: Type.String({ description: "Of a Task its code, of a Document its path." }),
  title: Type.String(),
  project_code: { ...nullable(Type.String()), description: "Null: a Document that is in no Project." },
});

export const searchCli = list("GET /cli/search", "Search for Tasks and Documents", {
  description:
    "The best match first, as in the search of the Workspace. 404 where project_code is no Project that you see.",
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
