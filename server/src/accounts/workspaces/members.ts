// Members of a Workspace, current and former. Only those who manage members see addresses. Nobody changes their own
// membership, and under any interleaving one active owner is left. Ending a membership revokes its credentials in the
// same transaction.
import * as contract from "@svc/contract/accounts/workspaces/members.ts";
import { membershipStates, roles } from "@svc/contract/types.ts";
import type { Queries } from "../../platform/database/db.ts";
import { cachedSql, differing } from "../../platform/database/sql.ts";
import { requireRecent } from "../../platform/kernel/authentication.ts";
import { implement, implementList, type ListResult } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { lettingThrough } from "../../platform/wire/input/value-filter.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { callerManages, member, members, otherOwner, type WorkspaceMemberTarget, workspace } from "./access.ts";
import { memberRemoved, memberRestored, memberUpdated } from "./events.ts";
import { type MembershipState, memberCapabilities, membershipRefusal, soughtName } from "./rules.ts";
import { filteredPage, membersByName } from "./store.ts";
import { memberView } from "./view.ts";

// Sorted by join order, which never changes; names do.
const list = (from: string) => `
select ${memberView(callerManages)} as json, json_build_array(m.id)::text as key
from ${from} join users u on u.id = m.user_id
order by m.id limit $2`;
const after = "workspace_id = current_workspace() and id > $1";
const LIST = list(`(select * from memberships where ${after} order by id limit $2) m`);
// Each role and state is one index range. They are literals in the SQL, so that the planner can estimate their row
// counts.
const listOf = cachedSql((ofRole: string, inState: string) => {
  const both = ofRole
    .split(",")
    .flatMap((role) => inState.split(",").map((state) => `role = '${role}' and state = '${state}'`));
  const parts = both.map((each) => `(select * from memberships where ${after} and ${each} order by id limit $2)`);
  return list(`(select * from (${parts.join(" union all ")}) of_both order by id limit $2) m`);
});
const BY_NAME = membersByName(`
select ${memberView(callerManages)} as json from memberships m join users u on u.id = m.user_id
where m.role = any($5::text[])`);

export const listMembers = implementList(
  contract.listMembers,
  workspace("workspace:read"),
  async (tx, { query, page }): Promise<ListResult> => {
    const { q, role, state } = query;
    const [ofRole, inState] = [lettingThrough(role, roles), lettingThrough(state, membershipStates)];
    if (q !== undefined) {
      if (!inState.includes("active")) return [];
      const after = page.after ?? ["", NIL];
      return filteredPage(await tx.rows(BY_NAME, [soughtName(q), ...after, page.limit, ofRole]), page.limit);
    }
    const from = [page.after?.[0] ?? NIL, page.limit + 1];
    return role === undefined && state === undefined
      ? tx.rows(LIST, from)
      : tx.rows(listOf(ofRole.join(), inState.join()), from);
  },
);

/** Whether the change grants owner or admin rights that the member did not have before. */
const gainsControl = (before: MembershipState, after: MembershipState) =>
  (after.role === "owner" || after.role === "admin") &&
  (after.role !== before.role || (after.state === "active" && before.state !== "active"));

/** Refuses membership changes that no role permits. */
function refuseUnless(target: WorkspaceMemberTarget, next: MembershipState): void {
  const refused = membershipRefusal(target, next);
  if (refused) refuse(refused);
}

const shown = (source: string) => `select ${memberView("true")} as json, m.revision::text from ${source}`;
type MemberJson = { json: string; revision: string };
const SELECT = shown(
  "memberships m join users u on u.id = m.user_id where m.workspace_id = current_workspace() and m.id = $1",
);
const update = (condition: string, set: string) => `
with m as (
  update memberships m set ${set}, revision = m.revision + 1, updated_at = now()
  where m.workspace_id = current_workspace() and ${condition} returning m.*
) ${shown("m join users u on u.id = m.user_id")}`;
const UPDATE = update("m.id = $1", "role = $2, state = $3");

export const updateMember = implement(
  contract.updateMember,
  member(),
  async ({ tx, principal, record, defer }, { target, body }) => {
    const next: MembershipState = { role: body.role ?? target.role, state: body.state ?? target.state };
    refuseUnless(target, next);
    if (gainsControl(target, next)) requireRecent(principal);
    if (target.state !== "active" && target.state !== "suspended") refuse("membership_state_conflict");
    if (!differing(next, target))
      return render(await tx.one<MemberJson>(SELECT, [target.id]), memberCapabilities(target.caller_role, target));
    const row = await tx.one<MemberJson>(UPDATE, [target.id, next.role, next.state]);
    if (next.state === "suspended") defer(tx.rows(END_CREDENTIALS, [target.user_id, ["session"]]));
    const before = { role: target.role, state: target.state };
    record(memberUpdated({ kind: "member", id: target.id }, { user_id: target.user_id, before, after: next }));
    return render(row, memberCapabilities(target.caller_role, { ...target, ...next }));
  },
);

const END_GRANTS = `
update oauth_grants set revoked_at = now(), updated_at = now(), revision = revision + 1
where user_id = $1 and workspace_id = current_workspace() and revoked_at is null`;
const END_CREDENTIALS = `
update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1
where user_id = $1 and kind = any($2::text[]) and workspace_id = current_workspace() and revoked_at is null`;
/**
 * Native applications are bound to no Workspace and stay. Grants first: the second statement sees credentials issued
 * while the first waited.
 */
const endAccess = (tx: Queries, userId: string) =>
  Promise.all([
    tx.rows(END_GRANTS, [userId]),
    tx.rows(END_CREDENTIALS, [userId, ["session", "personal", "developer", "mcp"]]),
  ]);

const REMOVE = `
update memberships set state = 'removed', revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;

export const removeMember = implement(contract.removeMember, member(), async ({ tx, record, defer }, { target }) => {
  refuseUnless(target, { role: target.role, state: "removed" });
  if (target.state === "removed" || target.state === "left") return;
  defer(tx.rows(REMOVE, [target.id]));
  defer(endAccess(tx, target.user_id));
  record(memberRemoved({ kind: "member", id: target.id }, { user_id: target.user_id, role: target.role }));
});

const FIND = `
select m.id, m.user_id, m.role, m.state, m.user_id = current_account() as self, ${otherOwner} as other_owner
from memberships m
where m.workspace_id = current_workspace() and m.user_id = $1`;
const RESTORE = update(
  "m.user_id = $1 and m.state in ('removed', 'left')",
  "state = 'active', role = coalesce($2, m.role)",
);

export const restoreMember = implement(contract.restoreMember, members(), async (context, { target, body }) => {
  const { tx, principal, record } = context;
  const [found, restored] = await Promise.all([
    tx.maybe<Pick<WorkspaceMemberTarget, "id" | "user_id" | "role" | "state" | "self" | "other_owner">>(FIND, [
      body.user_id,
    ]),
    tx.maybe<MemberJson>(RESTORE, [body.user_id, body.role ?? null]),
  ]);
  if (!found) return refuseUser();
  if (found.self) refuse("self_membership_mutation");
  if (restored) {
    const next: MembershipState = { role: body.role ?? found.role, state: "active" };
    if (gainsControl(found, next)) requireRecent(principal);
    record(memberRestored({ kind: "member", id: found.id }, { user_id: found.user_id }));
    return render(restored, memberCapabilities(target.caller_role, { ...found, ...next }));
  }
  if (found.state !== "active") refuse("membership_state_conflict");
  return render(await tx.one<MemberJson>(SELECT, [found.id]), memberCapabilities(target.caller_role, found));
});

/** Same refusal for an account that was never a member and for no account, so that nobody learns who has an account. */
function refuseUser(): never {
  const detail = "must be of somebody who was a member of this Workspace";
  return refuseAt("/body/user_id", "invalid_reference", detail);
}
