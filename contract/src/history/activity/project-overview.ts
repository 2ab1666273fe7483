// Overview of a Project: progress, recent activity, members and next deadlines. Every part is bounded.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { MilestoneRow, Progress } from "../../planning/projects/milestones.ts";
import { Capabilities, Id, MembershipState, Name, nullable, object, ProjectKey, ProjectRole } from "../../types.ts";
import { ActivityItem, includeInFeed } from "./activity.ts";

const Count = Type.Integer({ minimum: 0 });

export const ProjectOverview = object({
  id: Id,
  key: ProjectKey,
  name: Name(200),
  counts: object(
    { backlog: Count, unstarted: Count, started: Count, completed: Count, cancelled: Count },
    { description: "Tasks by the category of their Status; at most 10,000 are counted for each Status." },
  ),
  progress: Progress,
  recent_activity: Type.Array(ActivityItem, { maxItems: 10 }),
  members: object({
    items: Type.Array(
      object({ actor_id: Id, display_name: nullable(Type.String()), role: ProjectRole, state: MembershipState }),
      {
        maxItems: 20,
        description: "First members, including former ones: state is that of their membership in the Workspace.",
      },
    ),
    count: Count,
    capped: Type.Boolean({ description: "Whether there are more: counting stopped at 10,000." }),
  }),
  milestones: Type.Array(MilestoneRow, {
    maxItems: 10,
    description: "Next Milestones by target_date that are neither completed nor cancelled.",
  }),
  capabilities: Capabilities,
});

export const getProjectOverview = op("GET /projects/{project_id}/overview", "Read a Project at a glance", {
  auth: [S],
  include: includeInFeed,
  returns: ProjectOverview,
});
