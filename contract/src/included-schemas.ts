// Related resources that a read can include, so that a page or script needs no further request:
// `?include=status,people`. The answer then has `included`: maps by id in which each resource appears once, under the
// reader's access. `counts` and `description` are fields of each row instead.
import Type, { type TSchema } from "typebox";
import {
  Category,
  Color,
  Id,
  MilestoneCode,
  nullable,
  object,
  PictureUrl,
  ProjectKey,
  TaskCode,
  Timestamp,
} from "./types.ts";

const step = { id: Id, name: Type.String(), category: Category, color: nullable(Color) };
export const IncludedStatus = object(step);
/** A project state. */
export const IncludedState = object(step);
/** A lifecycle stage that a Status, project state or Milestone is bound to. */
export const IncludedStage = object(step);
export const IncludedActor = object({
  id: Id,
  kind: Type.Enum(["human", "service", "agent"]),
  display_name: nullable(Type.String()),
  username: nullable(Type.String()),
  picture_url: PictureUrl,
});
export const IncludedLabel = object({
  id: Id,
  name: Type.String(),
  color: Color,
  overrides: Type.Array(object({ project_id: Id, name: Type.String(), color: Color }), {
    description: "Overrides of Projects in this answer.",
    examples: [[]],
  }),
});
export const IncludedProject = object({
  id: Id,
  key: ProjectKey,
  name: Type.String(),
  icon: nullable(Type.String()),
  color: nullable(Color),
  archived_at: nullable(Timestamp),
});
export const IncludedMilestone = object({
  id: Id,
  project_id: Id,
  code: MilestoneCode,
  name: Type.String(),
  target_date: nullable(Type.String({ format: "date" })),
});
export const IncludedTask = object({
  id: Id,
  project_id: Id,
  code: TaskCode,
  title: Type.String(),
  status_id: Id,
  completed_at: nullable(Timestamp),
  trashed_at: nullable(Timestamp),
});

const mapOf = (schema: TSchema) => Type.Optional(Type.Unsafe({ type: "object", additionalProperties: schema }));
export const Included = object(
  {
    statuses: mapOf(IncludedStatus),
    states: mapOf(IncludedState),
    stages: mapOf(IncludedStage),
    actors: mapOf(IncludedActor),
    labels: mapOf(IncludedLabel),
    projects: mapOf(IncludedProject),
    milestones: mapOf(IncludedMilestone),
    tasks: mapOf(IncludedTask),
  },
  { description: "Present with include only: the included resources, by id.", examples: [{}] },
);

const count = Type.Integer({ minimum: 0 });
export const Counts = object(
  {
    comments: count,
    attachments: count,
    subtasks: count,
    subtasks_completed: count,
    blocked: Type.Boolean({ description: "Whether an uncompleted Task that you see blocks it." }),
  },
  { description: "Present with include=counts only." },
);

/** The map that each name fills, and the pattern of the answer's fields that hold its ids. */
export const includes = {
  status: { map: "statuses", field: /(^|_)status(_id|\.id)$/ },
  state: { map: "states", field: /^state_id$/ },
  stage: { map: "stages", field: /^stage_id$/ },
  assignee: { map: "actors", field: /(^|_)assignee(_actor_id|\.id)$/ },
  people: { map: "actors", field: /(^|[_.])actor(_ids?|\.id)$/ },
  labels: { map: "labels", field: /(^|_)label_ids?$/ },
  project: { map: "projects", field: /(^|_)project(_id|\.id)$/ },
  milestone: { map: "milestones", field: /(^|_)milestone(_id|\.id)$/ },
  parent: { map: "tasks", field: /^parent_id$/ },
  task: { map: "tasks", field: /(^|_)task(_id|\.id)$/ },
  counts: { map: null, field: null },
  description: { map: null, field: null },
} as const;
export type Include = keyof typeof includes;

export const includeQuery = (names: readonly Include[]) => ({
  include: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: `^(?:${names.join("|")})(?:,(?:${names.join("|")}))*$`,
      description: `Related resources to include, separated by commas: ${names.join(", ")}.`,
      examples: [names[0]],
    }),
  ),
});
