// ChangeSets: proposed by rehearsing them, read, reviewed by their initiator, and applied once and atomically. Only the
// initiator has access to them.

import { errors } from "@svc/contract/errors.ts";
import * as contract from "@svc/contract/history/proposals/change-sets.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { settle } from "../../platform/kernel/context.ts";
import { type Access, type Context, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import type { NestedResult } from "../../platform/kernel/nested-operation.ts";
import { LAST_ID, newId } from "../../platform/wire/ids.ts";
import { type Fault, type Refusal, refuse, refuseAt } from "../../platform/wire/problem.ts";
import { requireRoom } from "./access.ts";
import { type Planned, pinsOf, plan, requireChanges, withDocuments } from "./actions.ts";
import { performAll } from "./apply-changes.ts";
import * as store from "./change-set-store.ts";
import { diffsBy, look, movedFaults, requireEvidence } from "./current-state.ts";
import { evidenceNow, requireOwnEvidence } from "./evidence-store.ts";
import { differenceOf } from "./outcomes.ts";
import { patchDiffs, writtenPatches } from "./patch-store.ts";
import { refusalOf, rehearse } from "./rehearsal.ts";
import { approvedOf, type ChangeInput, type ChangeSetState, canonical, digestOf, isOpen, stateOf } from "./rules.ts";
import { changeSetRow, changeSetView } from "./view.ts";

type Target = store.ChangeSetTarget;
const own: Access<Target> = {
  reach: "membership",
  load: (tx, { id }, change) => (change ? store.holdNewest : store.newestVersion)(tx, id as string),
  permits: () => true,
};

const shown = async (context: Context, target: Target) =>
  changeSetView(target, context.member.workspaceId, await look(context, target));

const closed = (state: ChangeSetState) =>
  refuse("change_set_closed", {
    errors: [
      { pointer: "/state", code: state, detail: state === "stale" ? "there is a newer version" : `it is ${state}` },
    ],
  });

/** Loads and locks the version that the next one replaces. */
async function requireNewest({ tx }: Context, id: string, version: number): Promise<Target> {
  const last = await store.holdNewest(tx, id);
  if (!last) return refuseAt("/body/change_set_id", "not_found", "must be a ChangeSet of yours");
  if (last.newest !== version) refuse("revision_conflict", { current_revision: String(last.newest) });
  return last.applied_at === null ? last : closed("applied");
}

export const proposeChangeSet = implement(
  contract.proposeChangeSet,
  workspace("workspace:read"),
  async (context, { body }) => {
    const { tx, member } = context;
    const { change_set_id, version, title, reason = null, evidence = [] } = body;
    if ((change_set_id === undefined) !== (version === undefined)) {
      const missing = change_set_id ? "version" : "change_set_id";
      refuseAt(`/body/${missing}`, "invalid_request", "must be sent with the other one", "required");
    }
    const sent = requireChanges(body.changes as ChangeInput[]);
    const pins = pinsOf(sent);
    const [last, patches, diffs, pinned] = await settle([
      change_set_id && version ? requireNewest(context, change_set_id, version) : null,
      pins.length > 0 ? writtenPatches(tx, pins) : [],
      pins.length > 0 ? patchDiffs(tx, pins) : [],
      evidenceNow(tx, evidence),
    ]);
    await requireOwnEvidence(tx, pinned);
    requireEvidence(pinned);
    const changes = withDocuments(sent, patches);
    const [, { outcomes, names }] = await settle([
      requireRoom(tx, "change_sets"),
      rehearse(context, plan(context, changes, patches)),
    ]);
    const set = newVersion(context, last, { title, reason, changes, outcomes, evidence });
    context.defer(store.keepVersion(tx, set));
    const moved = outcomes.flatMap(({ refusal }, change) => {
      const { revision = null } = changes[change] as ChangeInput;
      const current_revision = refusal?.current_revision ?? null;
      const isMoved = refusal?.code === "revision_conflict" || refusal?.code === "not_found";
      return isMoved ? [{ change, revision, current_revision }] : [];
    });
    const looked = { moved, hidden: new Set<number>(), evidence: pinned, names, diffs: diffsBy(diffs) };
    return changeSetView(set, member.workspaceId, looked);
  },
);

type Proposed = Pick<Target, "title" | "reason" | "changes" | "outcomes" | "evidence">;
function newVersion({ member, principal }: Context, last: Target | null, proposed: Proposed): Target {
  const [id, version] = [last?.id ?? newId(), (last?.newest ?? 0) + 1];
  const { outcomes, ...sent } = proposed;
  const expires = new Date(Date.parse(principal.now) + store.KEPT_DAYS * 86_400_000);
  return {
    id,
    version,
    newest: version,
    initiator_actor_id: member.actorId,
    digest: digestOf({ change_set_id: id, version, ...sent }, outcomes).toString("hex"),
    ...proposed,
    refused: outcomes.some(({ refusal }) => refusal !== null),
    created_at: principal.now,
    expires_at: expires.toISOString(),
    expired: false,
    approved_at: null,
    rejected_at: null,
    applied_at: null,
    command_id: null,
  };
}

export const listChangeSets = implementList(
  contract.listChangeSets,
  workspace("workspace:read"),
  async (tx, { params, query: { state }, page }) => {
    const open = state === undefined ? null : state === "open";
    const before = (page.after?.[0] as string | undefined) ?? LAST_ID;
    const found = await store.listNewest(tx, before, open, page.limit + 1);
    return found.map((row) => ({
      json: JSON.stringify(changeSetRow(row, params.workspace_id)),
      key: JSON.stringify([row.id]),
    }));
  },
);

export const getChangeSet = implement(contract.getChangeSet, own, async (context, { target, query: { version } }) => {
  if (version === target.version) return shown(context, target);
  return shown(context, (await store.versionAt(context.tx, target.id, version)) ?? refuse("not_found"));
});

/** Requires the newest version with the digest that the caller saw. */
function requireVersion(target: Target, { version, digest }: { version: number; digest: string }): void {
  if (version !== target.version) closed("stale");
  if (digest !== target.digest) refuse("digest_mismatch");
}

export const reviewChangeSet = implement(contract.reviewChangeSet, own, async (context, { target, body }) => {
  const { tx, member, principal } = context;
  const { version, digest, decision } = body;
  requireVersion(target, body);
  const state = stateOf(target);
  const approves = decision === "approve";
  const already = state === (approves ? "approved" : "rejected");
  if (!already && !isOpen(state)) closed(state);
  const looked = await look(context, target);
  if (already) return changeSetView(target, member.workspaceId, looked);
  if (approves) {
    if (looked.moved.length > 0) refuse("change_set_stale", { errors: movedFaults(looked.moved) });
    if (state === "draft") refuse("change_set_refused", { errors: refusedFaults(target) });
    requireEvidence(looked.evidence);
  }
  if (!(await store.review(tx, target.id, version, Buffer.from(digest, "hex"), decision))) refuse("forbidden");
  const decided = { ...target, [approves ? "approved_at" : "rejected_at"]: principal.now };
  return changeSetView(decided, member.workspaceId, looked);
});

const refusedFault = (at: number, { code, extra }: Pick<Refusal, "code" | "extra">): Fault[] =>
  (extra.errors ?? [{ pointer: "", code, detail: errors[code].detail }]).map((fault) => ({
    ...fault,
    pointer: `/changes/${at}${fault.pointer.replace(/^\/body/, "/set")}`,
  }));
const refusedFaults = ({ outcomes }: Target): Fault[] =>
  outcomes.flatMap(({ refusal }, at) =>
    refusal ? [{ pointer: `/changes/${at}`, code: refusal.code, detail: refusal.detail }] : [],
  );

/** Requires that a change does what was approved. */
function requireApproved(target: Target, at: number, { change }: Planned, performed: NestedResult): void {
  const { after } = differenceOf(change, performed);
  if (canonical(approvedOf(after)) === canonical(approvedOf(target.outcomes[at]?.after ?? null))) return;
  const detail = "would do something else than what was approved";
  refuse("change_set_stale", { errors: [{ pointer: `/changes/${at}`, code: "outcome_changed", detail }] });
}

/** Performs all changes on the targets that were loaded and locked. */
async function perform(context: Context, target: Target, { found, patches }: Awaited<ReturnType<typeof look>>) {
  const planned = plan(context, target.changes, patches);
  const outcome = await performAll(context, planned, found);
  if ("error" in outcome)
    return refuse("change_set_refused", { errors: refusedFault(outcome.at, refusalOf(outcome.error)) });
  for (const [at, each] of planned.entries()) requireApproved(target, at, each, outcome.done[at] as NestedResult);
}

export const applyChangeSet = implement(
  contract.applyChangeSet,
  workspace("workspace:read"),
  async (context, { body }) => {
    const { tx, commandId, member, principal } = context;
    const target = await store.holdNewest(tx, body.change_set_id);
    if (!target) return refuseAt("/body/change_set_id", "not_found", "must be a ChangeSet of yours");
    requireVersion(target, body);
    const state = stateOf(target);
    if (state === "applied") return shown(context, target);
    if (state === "draft" || state === "proposed") refuse("change_set_not_approved");
    if (state !== "approved") closed(state);
    const looked = await look(context, target, true);
    if (looked.moved.length > 0) refuse("change_set_stale", { errors: movedFaults(looked.moved) });
    requireEvidence(looked.evidence);
    await perform(context, target, looked);
    context.defer(store.applied(tx, target.id, target.version, Buffer.from(body.digest, "hex"), commandId));
    return changeSetView({ ...target, applied_at: principal.now, command_id: commandId }, member.workspaceId, looked);
  },
);
