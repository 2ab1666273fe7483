// Access rules of labels: every member can see a Workspace label, and everyone who can see a Project its labels. Also
// decides who may label a target.

import { HOLD } from "../../accounts/workspaces/access.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import { locked } from "../../platform/database/sql.ts";
import type { Access, Context } from "../../platform/kernel/implement-operation.ts";
import {
  callerNarrowed,
  granted,
  type InProject,
  inProject,
  permits,
  permitsDocument,
  projectOfCaller,
  projectVisible,
} from "../projects/access.ts";
import type { WorkCapability } from "../projects/rules.ts";
import { labelView, overrideIn, overrideView, projectLabelView } from "./view.ts";

export interface LabelTarget extends InProject {
  id: string;
  /** Null for a Workspace label, which only Workspace managers manage. */
  project_id: string | null;
  revision: string;
  json: string;
}
const labelSql = (deleted: string) => `
select l.id, l.project_id, l.revision::text, ${inProject}, ${labelView} as json
from label_definitions l
left join projects p on p.workspace_id = l.workspace_id and p.id = l.project_id ${projectOfCaller}
where l.workspace_id = current_workspace() and l.id = $1 and l.deleted_at ${deleted}
  and (l.project_id is null or ${projectVisible})`;
const [LABEL, DELETED] = [labelSql("is null"), labelSql("is not null")];
const [CHANGE_LABEL, REMOVE_LABEL] = [`${LABEL} for no key update of l`, `${LABEL} for update of l`];

const byId = (capability: WorkCapability, change: string): Access<LabelTarget> => ({
  reach: "membership",
  load: (tx, params, changing) => tx.maybe<LabelTarget>(changing ? change : LABEL, [params.label_id]),
  permits: permits(capability),
});
export const label = (capability: WorkCapability) => byId(capability, CHANGE_LABEL);
/** The lock waits for concurrent assignments of the label, so that the removal finds them. */
export const removedLabel = (capability: WorkCapability) => byId(capability, REMOVE_LABEL);

/** A deleted label, to restore. */
export const deletedLabel: Access<LabelTarget> = {
  reach: "membership",
  load: (tx, params, change) =>
    tx.maybe<LabelTarget>(change ? `${DELETED} for update of l` : DELETED, [params.label_id]),
  permits: permits("work:write"),
};

export const labelCapabilities = (context: Context, target: InProject) =>
  granted(context, target, "work:manage", "label:update", "label:delete");

/**
 * The Workspace as the parent of new labels. Locks it to serialize creations, because two concurrent ones could
 * otherwise both pass the limit.
 */
export const labelledWorkspace = (): Access<InProject> => ({
  reach: "membership",
  load: async (tx) => tx.rows(HOLD).then(() => ({ project_role: null, project_archived: false })),
  permits: ({ member }) => may(member.role, "work:write"),
});

export interface OverrideTarget extends InProject {
  project_id: string;
  label_id: string;
  revision: string;
  before: { name: string | null; color: string | null; hidden: boolean } | null;
  /** Wire representation, if there is an override. */
  json: string;
}
const override = (which: string) => `
select p.id as project_id, l.id as label_id, ${inProject}, coalesce(o.revision, 0)::text as revision,
  case when o.label_id is not null
  then json_build_object('name', o.name, 'color', o.color, 'hidden', o.hidden) end as before, ${overrideView} as json
from projects p ${projectOfCaller}
join label_definitions l on l.workspace_id = p.workspace_id and l.id = $2 and l.project_id is null
  and l.deleted_at is null ${overrideIn("p.id")}
where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible} ${which}`;
const [ANY_OVERRIDE, PRESENT_OVERRIDE] = [override(""), override("and o.label_id is not null")];
// The override row may not exist yet, so its writers serialize on the Project row.
const QUEUE = "select from projects where workspace_id = current_workspace() and id = $1 for no key update";

const overrideBy = (sql: string): Access<OverrideTarget> => ({
  reach: "membership",
  load: async (tx, { project_id, label_id }, change) => {
    const queued = change && tx.rows(QUEUE, [project_id]);
    const text = change ? `${sql} for key share of l` : sql;
    return (await Promise.all([queued, tx.maybe<OverrideTarget>(text, [project_id, label_id])]))[1];
  },
  permits: permits("work:manage"),
});
/** Override of a Workspace label in a Project, at revision 0 if there is none. */
export const anyOverride = () => overrideBy(ANY_OVERRIDE);
export const presentOverride = () => overrideBy(PRESENT_OVERRIDE);

/**
 * Target kinds that can have labels, with their Project as p, if any. A Project's labels are part of its settings, like
 * its color.
 */
const bearers = {
  task: {
    row: "t",
    from: "tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id",
    projectId: "t.project_id",
    trashed: "t.trashed_at is not null",
    seen: projectVisible,
    permits: permits("work:write"),
  },
  project: {
    row: "p",
    from: "projects p",
    projectId: "p.id",
    trashed: "false",
    seen: projectVisible,
    permits: permits("work:manage"),
  },
  document: {
    row: "d",
    from: "documents d left join projects p on p.workspace_id = d.workspace_id and p.id = d.project_id",
    projectId: "d.project_id",
    trashed: "d.trashed_at is not null",
    seen: `(d.project_id is null and not ${callerNarrowed} or ${projectVisible})`,
    permits: permitsDocument("documents:write"),
  },
} as const;
export type Bearing = keyof typeof bearers;
/** Any other kind is not found. */
const bearing = (kind: string | undefined): kind is Bearing => kind !== undefined && Object.hasOwn(bearers, kind);

export interface LabelledTarget extends InProject {
  kind: Bearing;
  id: string;
  /** Null for a Document outside any Project. */
  project_id: string | null;
  revision: string;
  trashed: boolean;
  label_ids: string[];
  /** JSON array of the labels, loaded only for reads. */
  json: string;
}
const labelled = (kind: Bearing, labels: string) => {
  const { row, from, projectId, trashed, seen } = bearers[kind];
  return `
select '${kind}' as kind, ${row}.id, ${projectId} as project_id, ${row}.revision::text, ${trashed} as trashed,
  ${inProject},
  ${row}.label_ids, ${labels} as json
from ${from} ${projectOfCaller}
where ${row}.workspace_id = current_workspace() and ${row}.id = $1 and ${seen}`;
};
const labelsOf = ({ row, projectId }: (typeof bearers)[Bearing]) => `(
  select coalesce('[' || string_agg(${projectLabelView}, ',' order by given.place) || ']', '[]')
  from unnest(${row}.label_ids) with ordinality as given(id, place)
  join label_definitions l on l.workspace_id = ${row}.workspace_id and l.id = given.id
    and l.deleted_at is null ${overrideIn(projectId)})`;
const read = (kind: Bearing) => labelled(kind, labelsOf(bearers[kind]));
const ask = (kind: Bearing) => labelled(kind, "''");
const change = (kind: Bearing) => `${ask(kind)} for no key update of ${bearers[kind].row}`;
const ofEach = (sql: (kind: Bearing) => string): Record<Bearing, string> => ({
  task: sql("task"),
  project: sql("project"),
  document: sql("document"),
});
const [READ, ASK, CHANGE] = [ofEach(read), ofEach(ask), ofEach(change)];

export const labelledTarget = (): Access<LabelledTarget> => ({
  reach: "membership",
  load: async (tx, { target_kind: kind, target_id }) =>
    bearing(kind) ? tx.maybe<LabelledTarget>(READ[kind], [target_id]) : undefined,
  permits: permits("work:read"),
});
export const changedTarget = (): Access<LabelledTarget> => ({
  reach: "membership",
  load: async (tx, { target_kind: kind, target_id }, changing) => {
    if (!bearing(kind)) return undefined;
    return changing
      ? locked<LabelledTarget>(tx, CHANGE[kind], [target_id])
      : tx.maybe<LabelledTarget>(ASK[kind], [target_id]);
  },
  permits: (context, found) => bearers[found.kind].permits(context, found),
});
