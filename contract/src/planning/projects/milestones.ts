// Milestones: goals of a Project with a due date. Their progress is never stored: reading a Milestone counts its Tasks.
import Type from "typebox";
import { list, M, op, S } from "../../kit.ts";
import { Day, Id, MarkdownText, MilestoneCode, Name, nullable, object, patch, resource, single } from "../../types.ts";
import { LifecyclePolicy } from "../lifecycle/behaviors.ts";

const Count = Type.Integer({ minimum: 0 });
/** Progress of a set of Tasks, by the behaviors of the stages that their Statuses are bound to. */
export const Progress = object(
  {
    total: Count,
    completed: Count,
    active: Count,
    awaiting_review: Count,
    cancelled: Count,
    percent: nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description:
          "Percentage of Tasks that are completed, out of those that are not cancelled, rounded down; 0 " +
          "without any; null if not all were counted.",
      }),
    ),
    capped: Type.Boolean({ description: "Whether there are more: counting stopped at 10,000." }),
  },
  { description: "Progress, counted at each read; Tasks in the trash do not count." },
);

const writable = {
  name: Name(200),
  description_markdown: MarkdownText,
  stage_id: Id,
  start_date: nullable(Day),
  target_date: nullable(Day),
};

export const MilestoneRow = object({
  ...resource,
  workspace_id: Id,
  project_id: Id,
  number: Type.Integer({
    minimum: 1,
    description: "Number of the Milestone, unique within the Project for ever.",
    examples: [1],
  }),
  code: MilestoneCode,
  ...writable,
  created_by_actor_id: Id,
  lifecycle: LifecyclePolicy,
  progress: Progress,
});
export const Milestone = single(MilestoneRow);

export const listMilestones = list(
  "GET /projects/{project_id}/milestones",
  "List the Milestones of a Project, the next first",
  {
    description:
      "Lists Milestones by target_date, those without one last; then by number. A page ends early once " +
      "it holds 1 MiB of descriptions: only has_more indicates whether there are more.",
    auth: [S],
    query: object({ stage_id: Type.Optional(Id) }),
    include: ["people", "project", "stage"],
    items: MilestoneRow,
  },
);

export const createMilestone = op("POST /projects/{project_id}/milestones", "Create a Milestone", {
  description: "Without stage_id, the Milestone starts in the first stage that accepts new work.",
  auth: [S],
  status: 201,
  creates: "/milestones/{id}",
  body: object({ ...Type.Partial(Type.Object(writable)).properties, name: writable.name }),
  example: { name: "First turn of the crank", target_date: "2027-03-31" },
  returns: Milestone,
  errors: ["project_archived", "project_closed", "invalid_reference", "invalid_dates"],
});

export const getMilestoneByCode = op(
  "GET /projects/{project_id}/milestones/by-code/{milestone_code}",
  "Read a Milestone by its code",
  { auth: [S], include: ["people", "project", "stage"], returns: Milestone },
);

export const getMilestone = op("GET /milestones/{milestone_id}", "Read a Milestone", {
  auth: [S, M],
  include: ["people", "project", "stage"],
  returns: Milestone,
});

export const updateMilestone = op("PATCH /milestones/{milestone_id}", "Change a Milestone", {
  auth: [S],
  ifMatch: "required",
  body: patch(writable),
  example: { name: "Second turn of the crank", target_date: "2027-04-30" },
  returns: Milestone,
  errors: ["project_archived", "invalid_reference", "invalid_dates"],
});

export const deleteMilestone = op("DELETE /milestones/{milestone_id}", "Delete a Milestone", {
  description:
    "The Tasks remain, without a Milestone; above 1,000 Tasks, the rest are updated within moments. " +
    "The code is not reused.",
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived"],
});
