// Completion of work: the completion policy of a Project, and the target Status or state that completes an entity of a
// kind. This module moves nothing.
import * as contract from "@svc/contract/planning/projects/completion.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { differing } from "../../platform/database/sql.ts";
import { view } from "../../platform/database/view.ts";
import { type Access, implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { capabilities, type InProject, inProject, permits, projectOfCaller, projectVisible } from "./access.ts";
import { completionPolicyReplaced } from "./events.ts";
import { completionTarget, type WorkCapability } from "./rules.ts";
import * as store from "./store.ts";

const policyView = view(contract.CompletionPolicyFields, "c", {
  project_id: "p.id",
  review_required: "coalesce(c.review_required, false)",
  effective_active_status_id: store.effectiveStatus("active"),
  effective_review_status_id: store.effectiveStatus("review"),
  effective_done_status_id: store.effectiveStatus("done"),
  revision: "coalesce(c.revision, 0)::text",
});

interface PolicyTarget extends InProject {
  id: string;
  revision: string;
  json: string;
}
const SELECT = `
select p.id, ${inProject}, coalesce(c.revision, 0)::text as revision, ${policyView} as json
from projects p ${projectOfCaller} ${store.policyOfProject}
where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;
// Writers serialize on the Project row, because the policy row may not exist yet; the next statement then sees the
// changes they waited for.
const QUEUE = "select from projects where workspace_id = current_workspace() and id = $1 for no key update";

const policyOf = (capability: WorkCapability): Access<PolicyTarget> => ({
  reach: "membership",
  load: async (tx, params, change) => {
    const values = [params.project_id];
    const queued = change ? tx.rows(QUEUE, values) : null;
    const [, target] = await Promise.all([queued, tx.maybe<PolicyTarget>(SELECT, values)]);
    return target;
  },
  permits: permits(capability),
});

export const getCompletionPolicy = implement(
  contract.getCompletionPolicy,
  policyOf("work:read"),
  async (context, { target }) => render(target, capabilities(context, target)),
);

const REPLACE = `
with c as (
  insert into project_completion_policies as old
    (workspace_id, project_id, review_required, active_status_id, review_status_id, done_status_id)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (workspace_id, project_id) do update set review_required = excluded.review_required,
    active_status_id = excluded.active_status_id, review_status_id = excluded.review_status_id,
    done_status_id = excluded.done_status_id,
    revision = old.revision + 1, updated_at = now()
  returning *
)
select ${policyView} as json, c.revision::text from c
join projects p on p.workspace_id = c.workspace_id and p.id = c.project_id`;

export const replaceCompletionPolicy = implement(
  contract.replaceCompletionPolicy,
  policyOf("work:manage"),
  async (context, { target, body }) => {
    const { tx, member, record } = context;
    const { review_required, active_status_id = null, review_status_id = null, done_status_id = null } = body;
    const wanted = { review_required, active_status_id, review_status_id, done_status_id };
    if (!differing(wanted, JSON.parse(target.json))) return render(target, capabilities(context, target));
    const chosen = [active_status_id, review_status_id, done_status_id];
    if (chosen.some((id) => id !== null)) {
      const usable = await store.chosenStatuses(tx, member.workspaceId, target.id, chosen);
      const unusable = Object.entries(usable).filter(([, fits]) => !fits);
      if (unusable.length > 0) refuseStatuses(unusable.map(([field]) => field));
    }
    const values = [member.workspaceId, target.id, review_required, ...chosen];
    const row = await tx.one<{ json: string; revision: string }>(REPLACE, values);
    record(completionPolicyReplaced({ kind: "project", id: target.id, projectId: target.id }, { review_required }));
    return render(row, capabilities(context, target));
  },
);

const refuseStatuses = (fields: string[]): never =>
  refuse("invalid_reference", {
    errors: fields.map((field) => ({
      pointer: `/body/${field}`,
      code: "invalid_reference",
      detail: "must apply to this Project, be in use and be in a stage that fits",
    })),
  });

export const getCompletionTarget = implement(
  contract.getCompletionTarget,
  workspace("work:read"),
  async ({ tx }, { query }) => {
    const { kind, project_id, target_status_id } = query;
    if (project_id !== undefined && kind !== "task")
      refuseAt("/query/project_id", "invalid_request", "is for kind task only", "not_allowed");
    const found = await store.completions(tx, kind, project_id ?? null);
    if (project_id !== undefined && found.project_id === null)
      refuseAt("/query/project_id", "invalid_reference", "must be a Project of this Workspace");
    const { id, ...target } = completionTarget(found.choices, target_status_id, found.named);
    return { kind, project_id: found.project_id, target_status_id: id, ...target };
  },
);
