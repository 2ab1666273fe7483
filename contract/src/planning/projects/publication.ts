// The public view of a published Project: its plan and progress. No person, no Task and no Workspace appears in it.
import Type from "typebox";
import { op, P } from "../../kit.ts";
import {
  Category,
  Color,
  Day,
  MarkdownText,
  MilestoneCode,
  nullable,
  object,
  ProjectKey,
  PublicId,
} from "../../types.ts";
import { Progress } from "./milestones.ts";

const Count = Type.Integer({ minimum: 0 });
export const PublicProject = object({
  public_id: PublicId,
  key: ProjectKey,
  name: Type.String(),
  description_markdown: MarkdownText,
  icon: nullable(Type.String()),
  color: nullable(Color),
  start_date: nullable(Day),
  target_date: nullable(Day),
  state: Type.Union([object({ name: Type.String(), category: Category }), Type.Null()]),
  counts: object(
    { backlog: Count, unstarted: Count, started: Count, completed: Count, cancelled: Count, capped: Type.Boolean() },
    { description: "Tasks by the category of their Status; at most 10,000 are counted for each Status." },
  ),
  milestones: Type.Array(
    object({
      code: MilestoneCode,
      name: Type.String(),
      target_date: nullable(Day),
      stage: object({ name: Type.String(), category: Category }),
      progress: Progress,
    }),
    { maxItems: 50, description: "First Milestones by number." },
  ),
  more_milestones: Type.Boolean({ description: "Whether there are more Milestones than shown." }),
});

export const getPublicProject = op("GET /public/projects/{public_id}", "Read a published Project", {
  auth: [P],
  returns: PublicProject,
});
