// Milestone stages: read, and replace as a whole. A replacement locks the definition exclusively, and assigning a
// Milestone to a stage takes a shared lock, so that the counts here stay valid until the commit.
import { isDeepStrictEqual } from "node:util";
import * as contract from "@svc/contract/planning/lifecycle/milestone-lifecycle.ts";
import type { Static } from "typebox";
import { workspace } from "../../accounts/workspaces/access.ts";
import { managing, may } from "../../accounts/workspaces/rules.ts";
import type { Queries } from "../../platform/database/db.ts";
import { view } from "../../platform/database/view.ts";
import { type Access, implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { type Fault, refuse } from "../../platform/wire/problem.ts";
import { milestoneLifecycleReplaced } from "./events.ts";
import { migrationApplies } from "./migration-store.ts";
import { type Catalog, catalogOf, type Existing, faultsOf } from "./milestone-catalog.ts";
import { moveEntities } from "./store.ts";
import { behaviorsView } from "./view.ts";

/** Maximum of Milestones moved in one step. */
const MOST_MOVED = 1_000;

const stagesView = `
(select json_agg((${view(contract.MilestoneStage, "g", { behaviors: behaviorsView("g") })})::json
  order by g.position, g.id)
 from lifecycle_stages g where g.workspace_id = d.workspace_id and g.definition_id = d.id)`;
const DEFINITION = "from lifecycle_definitions d where d.workspace_id = current_workspace() and d.kind = 'milestone'";
const READ = `select ${view(contract.MilestoneLifecycleFields, "d", { stages: stagesView })} as json,
  d.revision::text ${DEFINITION}`;
const read = (tx: Queries) => tx.one<{ json: string; revision: string }>(READ);

export const getMilestoneLifecycle = implement(
  contract.getMilestoneLifecycle,
  workspace("work:read"),
  async ({ tx, member }) => render(await read(tx), managing(member.role)),
);

const held: Access<{ id: string; revision: string }> = {
  reach: "membership",
  load: (tx) => tx.maybe(`select d.id, d.revision::text ${DEFINITION} for no key update`),
  permits: ({ member }) => may(member.role, "workspace:manage"),
};

/** Does not count the Milestones of stages that stay ($2). */
const EXISTING = `
select g.id, g.name, case when g.id = any($2::uuid[]) then 0 else (
  select count(*) from (
    select from milestones m where m.workspace_id = g.workspace_id and m.stage_id = g.id and m.deleted_at is null
    limit ${MOST_MOVED + 1}
  ) m
) end::int as live
from lifecycle_stages g where g.workspace_id = current_workspace() and g.definition_id = $1`;

const columns = ["name", "category", "color", "counts_as_completed", "counts_as_active", "accepts_new_work"] as const;
const each = (table: string) => columns.map((column) => `${table}.${column}`).join(", ");
// A stage that only changes position keeps its revision: the order belongs to the catalog.
const KEEP = `
insert into lifecycle_stages as g (workspace_id, id, definition_id, position, ${columns.join(", ")})
select current_workspace(), s.id, $1, s.position, ${each("s")}
from json_to_recordset($2::json) as s(id uuid, position integer, name text, category text, color text,
  counts_as_completed boolean,
  counts_as_active boolean, accepts_new_work boolean)
on conflict (workspace_id, id) do update
set position = excluded.position, ${columns.map((column) => `${column} = excluded.${column}`).join(", ")},
  revision = g.revision + case when (${each("g")}) is distinct from (${each("excluded")}) then 1 else 0 end,
  updated_at = case when (${each("g")}) is distinct from (${each("excluded")}) then now() else g.updated_at end`;
const REMOVE = "delete from lifecycle_stages where workspace_id = current_workspace() and id = any($1::uuid[])";
const ADVANCE = `
update lifecycle_definitions set revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;

export const replaceMilestoneLifecycle = implement(
  contract.replaceMilestoneLifecycle,
  held,
  async ({ tx, member, principal, commandId, record }, { target, body }) => {
    const kept = body.stages.flatMap(({ id }) => id ?? []);
    const [existing, applies, before] = await Promise.all([
      tx.rows<Existing>(EXISTING, [target.id, kept]),
      migrationApplies(tx, target.id),
      read(tx),
    ]);
    if (applies) refuse("lifecycle_migration_pending");
    const faults = faultsOf(body.stages, existing);
    if (faults) refuse(faults.code, { errors: faults.errors });
    const catalog = catalogOf(body.stages, existing, newId);
    requireReplacements(catalog);
    const { stages, removed, mapping } = catalog;
    if (isDeepStrictEqual(stages, stagesOf(before.json))) return render(before, managing(member.role));
    const author = { actorId: member.actorId, userId: principal.userId, source: principal.kind, commandId };
    const moving = { kind: "milestone", workspaceId: member.workspaceId, mapping, limit: MOST_MOVED, author } as const;
    const [, moved, , , row] = await Promise.all([
      tx.rows(KEEP, [target.id, JSON.stringify(stages)]),
      Object.keys(mapping).length > 0 ? moveEntities(tx, moving) : 0,
      tx.rows(REMOVE, [removed.map(({ id }) => id)]),
      tx.rows(ADVANCE, [target.id]),
      read(tx),
    ]);
    const payload = { stages: stages.length, removed: removed.length, moved };
    record(milestoneLifecycleReplaced({ kind: "lifecycle_definition", id: target.id }, payload));
    return render(row, managing(member.role));
  },
);

/** Parses the stages into rows of a Catalog. */
const stagesOf = (json: string): Catalog["stages"] =>
  (JSON.parse(json) as Static<typeof contract.MilestoneLifecycleFields>).stages.map(
    ({ behaviors, revision: _, ...stage }) => ({ ...stage, ...behaviors }),
  );

function requireReplacements({ removed, mapping }: Catalog): void {
  const inUse = removed.filter(({ id, live }) => live > 0 && !(id in mapping));
  const errors = inUse.map(({ id, name }): Fault => {
    const detail = `${JSON.stringify(name)} (${id}) has Milestones: keep it, or name it in \`replaces\``;
    return { pointer: "/body/stages", code: "milestone_stage_in_use", detail };
  });
  if (inUse.length > 0)
    refuse("milestone_stage_in_use", { errors, choices: inUse.map(({ id, name }) => ({ id, name })) });
  if (removed.reduce((sum, { live }) => sum + live, 0) > MOST_MOVED) refuse("lifecycle_migration_too_large");
}
