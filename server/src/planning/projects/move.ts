// The order of a Workspace's Projects. A position is a number between those of its neighbours; if none is left between
// them, one statement renumbers all. Archived Projects have a position too.
import * as contract from "@svc/contract/planning/projects/move.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { projectCapabilities } from "./access.ts";
import { ordered, PLACE, RENUMBER, recordMove } from "./move-change.ts";
import { neighboursOf } from "./store.ts";

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
