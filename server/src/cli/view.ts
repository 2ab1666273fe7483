// Work on the command line: rows on the wire without a UUID. A query gives the Task as t or the Milestone as m, and the Project as p.
import { CliMilestoneFields, CliProjectFields, CliProjectRow } from "@svc/contract/cli/projects.ts";
import { CliComment, CliContextTask, CliTaskFields, CliTaskRow } from "@svc/contract/cli/tasks.ts";
import { reactionsOf } from "../comments/view.ts";
import { view } from "../database/view.ts";
import { overrideIn, shownName } from "../labels/view.ts";
import { milestoneProgress } from "../projects/view.ts";
import { milestoneCodeOf, personName, stepName } from "../tasks/context/view.ts";

const labels = `array(
  select ${shownName} from unnest(t.label_ids) with ordinality given(id, place)
  join label_definitions l on l.workspace_id = t.workspace_id and l.id = given.id and l.deleted_at is null ${overrideIn("t.project_id")}
  order by given.place)`;
const ofTask = {
  labels,
  code: "p.key || '-' || t.number",
  project_code: "p.key",
  status: stepName("statuses", "t.workspace_id", "t.status_id"),
  assignee: personName("t.workspace_id", "t.assignee_actor_id"),
  milestone_code: milestoneCodeOf("t.workspace_id", "t.milestone_id"),
};
export const cliTaskRowView = view(CliTaskRow, "t", ofTask);
export const cliContextTaskView = view(CliContextTask, "t", ofTask);
export const cliTaskView = view(CliTaskFields, "t", ofTask);

const ofProject = { code: "p.key", state: stepName("project_states", "p.workspace_id", "p.state_id") };
export const cliProjectRowView = view(CliProjectRow, "p", ofProject);
export const cliProjectView = view(CliProjectFields, "p", ofProject);

export const cliMilestoneView = view(CliMilestoneFields, "m", {
  code: "p.key || '-M' || m.number",
  project_code: "p.key",
  stage: stepName("lifecycle_stages", "m.workspace_id", "m.stage_id"),
  progress: milestoneProgress("m"),
  archived_at: "wire_time(coalesce(m.deleted_at, p.archived_at))",
});

export const cliCommentView = view(CliComment, "c", {
  author: personName("c.workspace_id", "c.author_actor_id"),
  reactions: reactionsOf,
});
