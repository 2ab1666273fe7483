// Projects and Milestones on the command line, by code. A Milestone's code holds its Project's key, because its number
// is only unique there.
import Type from "typebox";
import { C, list, op, T } from "../../kit.ts";
import { Progress } from "../../planning/projects/milestones.ts";
import { StatusName } from "../../planning/tasks/context/context.ts";
import { Day, MarkdownText, nullable, object, Revision, single, Timestamp, Visibility } from "../../types.ts";

const auth = [T, C] as const;
const plan = { start_date: nullable(Day), target_date: nullable(Day) };
const kept = { archived_at: nullable(Timestamp), created_at: Timestamp, updated_at: Timestamp, revision: Revision };

export const CliProjectRow = object({
  code: Type.String({ description: "Key of the Project." }),
  name: Type.String(),
  visibility: Visibility,
  state: nullable(StatusName),
  ...plan,
  ...kept,
});
export const CliProjectFields = object({ ...CliProjectRow.properties, description_markdown: MarkdownText });
export const CliProject = single(CliProjectFields);

export const listCliProjects = list("GET /cli/projects", "List the Projects you can see, by code", {
  description: "Archived Projects, and those in a stage that is hidden by default, are left out.",
  auth,
  items: CliProjectRow,
  errors: ["not_found"],
});

export const getCliProject = op("GET /cli/projects/{project_code}", "Read a Project", { auth, returns: CliProject });

export const CliMilestoneFields = object({
  code: Type.String({ description: "PROJECT_KEY-M and its number, for example ENG-M3." }),
  project_code: Type.String(),
  name: Type.String(),
  description_markdown: MarkdownText,
  stage: nullable(StatusName),
  ...plan,
  progress: Progress,
  ...kept,
});
export const CliMilestone = single(CliMilestoneFields);

export const getCliMilestone = op("GET /cli/milestones/{milestone_code}", "Read a Milestone with its progress", {
  description:
    "Takes a code such as ENG-M3: the number alone is unique only within its Project. A Milestone that " +
    "was deleted, or whose Project is archived, is still found, with archived_at.",
  auth,
  returns: CliMilestone,
});
