// Labels on the wire.
import { LabelRow, ProjectLabelRow } from "@svc/contract/planning/labels/definitions.ts";
import { LabelOverrideRow } from "@svc/contract/planning/labels/overrides.ts";
import { view } from "../../platform/database/view.ts";

export const labelView = view(LabelRow, "l");
export const overrideView = view(LabelOverrideRow, "o");

/** What a Project calls a label; a query gives the Project's override, or none, as o. */
export const shownName = "coalesce(o.name, l.name)";
export const projectLabelView = view(ProjectLabelRow, "l", {
  name: shownName,
  color: "coalesce(o.color, l.color)",
  overridden: "o.label_id is not null",
  hidden: "coalesce(o.hidden, false)",
});
/** Joins how this Project shows the label l. */
export const overrideIn = (projectId: string) =>
  `left join lateral (select * from label_overrides
    where workspace_id = l.workspace_id and project_id = ${projectId} and label_id = l.id limit 1) o on true`;
