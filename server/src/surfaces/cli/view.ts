// Wire views of the command line, without UUIDs. Queries alias the Task as t, the Milestone as m or the Document as d,
// and the Project as p.
import { CliDocumentFields, CliDocumentRow, MOST_TEXT } from "@svc/contract/surfaces/cli/documents.ts";
import { CliMilestoneFields, CliProjectFields, CliProjectRow } from "@svc/contract/surfaces/cli/projects.ts";
import { CliComment, CliContextTask, CliTaskFields, CliTaskRow } from "@svc/contract/surfaces/cli/tasks.ts";
import { documentColumns } from "../../knowledge/documents/view.ts";
import { reactionsOf } from "../../planning/comments/view.ts";
import { overrideIn, shownName } from "../../planning/labels/view.ts";
import { milestoneProgress } from "../../planning/projects/view.ts";
import { milestoneCodeOf, personName, stepName } from "../../planning/tasks/context/view.ts";
import { view } from "../../platform/database/view.ts";

const labelsOf = (bearer: string) => `array(
  select ${shownName} from unnest(${bearer}.label_ids) with ordinality given(id, place)
  join label_definitions l on l.workspace_id = ${bearer}.workspace_id and l.id = given.id
    and l.deleted_at is null ${overrideIn(`${bearer}.project_id`)}
  order by given.place)`;
const ofTask = {
  labels: labelsOf("t"),
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

const ofDocument = { ...documentColumns, project_code: "p.key", labels: labelsOf("d") };
export const cliDocumentRowView = view(CliDocumentRow, "d", ofDocument);
const said = (what: string) =>
  `(select ${what} from document_revisions r
    where r.workspace_id = d.workspace_id and r.document_id = d.id and r.revision = d.content_revision)`;
export const cliDocumentView = view(CliDocumentFields, "d", {
  ...ofDocument,
  text: said(`left(r.text, ${MOST_TEXT})`),
  truncated: said(`length(r.text) > ${MOST_TEXT}`),
});
