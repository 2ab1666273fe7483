// Wire representation of Projects, Statuses and Milestones.
import { ProjectMemberRow } from "@svc/contract/planning/projects/members.ts";
import { MilestoneRow } from "@svc/contract/planning/projects/milestones.ts";
import { ProjectStateRow } from "@svc/contract/planning/projects/project-states.ts";
import { ProjectFields, ProjectRow } from "@svc/contract/planning/projects/projects.ts";
import { StatusRow } from "@svc/contract/planning/projects/statuses.ts";
import { pictureUrl } from "../../accounts/account/view.ts";
import { view } from "../../platform/database/view.ts";
import { lifecyclePolicy, projectLifecycleIdentity, projectLifecyclePolicy } from "../lifecycle/view.ts";
import { milestoneProgress } from "./milestone/progress.ts";

export const projectView = view(ProjectFields, "p", { lifecycle: projectLifecyclePolicy("p") });
export const projectRowView = view(ProjectRow, "p", { lifecycle: projectLifecycleIdentity("p") });
export const statusView = view(StatusRow, "s", { lifecycle: lifecyclePolicy("s") });
export const projectStateView = view(ProjectStateRow, "s", { lifecycle: lifecyclePolicy("s") });
/** SQL of the code of a Milestone, such as ENG-M1, in a query without its Project. */
const milestoneCode = (m: string) =>
  `(select k.key || '-M' || ${m}.number from projects k
    where k.workspace_id = ${m}.workspace_id and k.id = ${m}.project_id)`;
export const milestoneView = view(MilestoneRow, "m", {
  code: milestoneCode("m"),
  lifecycle: lifecyclePolicy("m"),
  progress: milestoneProgress("m"),
});
export { MOST_COUNTED, milestoneProgress, progressOf, statusOf } from "./milestone/progress.ts";
/** The query must provide the Project membership as x, the Workspace membership as m and the user as u. */
export const projectMemberView = view(ProjectMemberRow, "x", {
  id: "x.actor_id",
  user_id: "m.user_id",
  state: "m.state",
  display_name: "u.display_name",
  username: "u.username",
  picture_url: pictureUrl("x.workspace_id"),
});
