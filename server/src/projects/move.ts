// The order of a Workspace's Projects. A place is a number between those of its neighbours; where no number is left between them, all are
// numbered anew in one statement. Archived Projects have their place too.
import * as contract from "@svc/contract/projects/move.ts";
import { implement } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { refuseAt } from "../wire/problem.ts";
import { projectCapabilities, projectOfCaller, projectVisible } from "./access.ts";
import { ordered, RENUMBER, recordMove } from "./move-change.ts";
import { neighboursOf } from "./store.ts";

// $1 Workspace, $2 Project, $3 the one to stand behind. `known` is false where that one cannot be, `placed` where no room was left or it stands
// there `already`.
const place = (behind: boolean) => `
with before as (${
  behind
    ? `
  select p.position, p.id from projects p ${projectOfCaller}
  where p.workspace_id = $1 and p.id = $3 and p.id <> $2 and ${projectVisible}`
    : "select '-Infinity'::float8 as position, null::uuid as id where $3::uuid is null"
}
), behind as (
  select n.position, n.id from before left join lateral (
    select p.position, p.id from projects p where p.workspace_id = $1 and p.deleted_at is null and p.id <> $2
      ${behind ? "and (p.position, p.id) > (before.position, before.id)" : ""}
    order by p.position, p.id limit 1
  ) n on true
), here as (
  select p.id from projects p, before, behind where p.workspace_id = $1 and p.id = $2
    and (behind.id is null or (p.position, p.id) < (behind.position, behind.id))
    ${behind ? "and (p.position, p.id) > (before.position, before.id)" : ""}
), room as (
  select before.position as low, behind.position as high, case
    when before.position = '-Infinity' then coalesce(behind.position, 2048) - 1024
    when behind.position is null then before.position + 1024
    else before.position + (behind.position - before.position) / 2 end as middle
  from before, behind
), placed as (
  update projects p set position = middle from room
  where p.workspace_id = $1 and p.id = $2 and middle > low and (high is null or middle < high) and not exists (select from here) returning p.id
)
select exists (select from before) as known, exists (select from here) as already, exists (select from placed) as placed`;
const PLACE = { behind: place(true), first: place(false) };

export const moveProject = implement(contract.moveProject, ordered, async (context, { target, body }) => {
  const { tx, member, defer } = context;
  const values = [member.workspaceId, target.id, body.after_id];
  const sql = body.after_id === null ? PLACE.first : PLACE.behind;
  const [was, { known, already, placed }] = await Promise.all([
    neighboursOf(tx, member.workspaceId, target.id, null),
    tx.one<Record<"known" | "already" | "placed", boolean>>(sql, values),
  ]);
  if (!known) return refuseNeighbour();
  if (already) return render(target, projectCapabilities(context, target));
  if (!placed) defer(tx.rows(RENUMBER, values));
  recordMove(context, target, was?.before ?? null, body.after_id);
  return render(target, projectCapabilities(context, target));
});

const refuseNeighbour = (): never =>
  refuseAt("/body/after_id", "invalid_reference", "must be another Project of this Workspace");
