// A ChangeSet on the wire. Changes to targets that its initiator can no longer read are omitted.
import type { ChangeSet, ChangeSetRow } from "@svc/contract/history/proposals/change-sets.ts";
import type { Static } from "typebox";
import type { ChangeSetListed, ChangeSetTarget } from "./change-set-store.ts";
import { type ChangeInput, type ChangeSetState, isOpen, stateOf } from "./rules.ts";

type Wire = Static<typeof ChangeSet>;
type Diff = NonNullable<Wire["changes"][number]["diff"]>;
/** The current state of a ChangeSet's targets. */
export interface ChangeSetContext {
  moved: Wire["moved"];
  /** Indexes of changes whose targets are no longer visible. */
  hidden: ReadonlySet<number>;
  evidence: Wire["evidence"];
  /** Display names of visible resources, by id. */
  names: Record<string, string>;
  /** Differences of the Document patches, by id and version. */
  diffs: ReadonlyMap<string, Diff>;
}
export const diffKey = ({ id, version }: { id: string; version: number }) => `${id}/${version}`;

const at = ({ patch_id, version }: ChangeInput) => (patch_id && version ? diffKey({ id: patch_id, version }) : "");
const LEFT_OUT = { before: null, after: null, effects: [] };

function capabilitiesOf(state: ChangeSetState): Wire["capabilities"] {
  if (state === "proposed") return ["change_set:propose", "change_set:review"];
  return state === "approved"
    ? ["change_set:propose", "change_set:review", "change_set:apply"]
    : ["change_set:propose"];
}

const reviewUrl = (workspaceId: string, id: string, version: number) =>
  `/review?workspace_id=${workspaceId}&change_set_id=${id}&version=${version}`;

export function changeSetRow(row: ChangeSetListed, workspaceId: string): Static<typeof ChangeSetRow> {
  const { id, version, title, reason, count, command_id, created_at, expires_at, applied_at } = row;
  return {
    id,
    version,
    state: stateOf(row),
    title,
    reason,
    count,
    review_url: reviewUrl(workspaceId, id, version),
    receipt_id: command_id,
    created_at,
    expires_at,
    applied_at,
    reviewed_at: row.rejected_at ?? row.approved_at,
  };
}

export function changeSetView(target: ChangeSetTarget, workspaceId: string, looked: ChangeSetContext): Wire {
  const { id, version, newest, digest, title, reason, initiator_actor_id } = target;
  const changes = target.changes.map((change, index) => {
    const outcome = target.outcomes[index] as ChangeSetTarget["outcomes"][number];
    const shown = looked.hidden.has(index) ? { ...outcome, ...LEFT_OUT } : outcome;
    return { ...change, ...shown, diff: looked.diffs.get(at(change)) ?? null };
  });
  const state = stateOf(target);
  const moved = isOpen(state) ? looked.moved : [];
  return {
    id,
    version,
    latest_version: newest,
    newest_version: newest,
    digest,
    state: moved.length > 0 ? ("stale" satisfies ChangeSetState) : state,
    title,
    reason,
    initiator_actor_id,
    changes,
    evidence: looked.evidence,
    moved,
    names: looked.names,
    review_url: reviewUrl(workspaceId, id, version),
    receipt_id: target.command_id,
    created_at: target.created_at,
    expires_at: target.expires_at,
    reviewed_at: target.rejected_at ?? target.approved_at,
    applied_at: target.applied_at,
    capabilities: version === newest && state !== "applied" ? capabilitiesOf(moved.length > 0 ? "stale" : state) : [],
  };
}
