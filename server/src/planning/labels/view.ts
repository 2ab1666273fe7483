// Wire representation of labels.
import { LabelRow, ProjectLabelRow } from "@svc/contract/planning/labels/definitions.ts";
import { LabelOverrideRow } from "@svc/contract/planning/labels/overrides.ts";
import { view } from "../../platform/database/view.ts";

export const labelView = view(LabelRow, "l");
export const overrideView = view(LabelOverrideRow, "o");

/** Name of a label in a Project; the query must provide the Project's override, or none, as o. */
export const shownName = "coalesce(o.name, l.name)";
export const projectLabelView = view(ProjectLabelRow, "l", {
  name: shownName,
  color: "coalesce(o.color, l.color)",
  overridden: "o.label_id is not null",
  hidden: "coalesce(o.hidden, false)",
});
/** Joins this Project's override of label l as o. */
export const overrideIn = (projectId: string) =>
  `left join lateral (select * from label_overrides
    where workspace_id = l.workspace_id and project_id = ${projectId} and label_id = l.id limit 1) o on true`;
