// Access rules of Workspaces: active members, with the permissions of their role.
import type { Role } from "../../platform/kernel/authentication.ts";
import { type Access, unlessHidden } from "../../platform/kernel/implement-operation.ts";
import { type MembershipState, may, type WorkspaceCapability } from "./rules.ts";
import { invitationState, workspaceView } from "./view.ts";

export const workspace = (capability: WorkspaceCapability): Access<null> => ({
  reach: "membership",
  load: async () => null,
  permits: ({ member }) => may(member.role, capability),
});

/** SQL for whether the caller is an owner or admin, who can see and manage everything in the Workspace. */
export const callerManages = "current_setting('svc.role', true) in ('owner', 'admin')";

/** Workspaces that an account can see regardless of its session's Workspace; archived ones only as an owner. */
export const ownWorkspaces = `
workspaces w join memberships m on m.workspace_id = w.id and m.user_id = current_account() and m.state = 'active'
  and (w.archived_at is null or m.role = 'owner')`;

export interface WorkspaceTarget {
  json: string;
  revision: string;
  archived: boolean;
  /** Whether it can be restored: restoring a Free Workspace claims it, and an account has at most one claim. */
  claimable: boolean;
}
const READ = `
select ${workspaceView} as json, w.revision::text, w.archived_at is not null as archived,
  w.archived_at is not null
    and (w.plan <> 'free' or exists (select from memberships o
    where o.workspace_id = w.id and o.role = 'owner' and o.state = 'active'
    and not exists (select from free_claims f where f.user_id = o.user_id))) as claimable
from ${ownWorkspaces} where w.id = current_workspace()`;
const CHANGE = `${READ} for no key update of w`;

/**
 * SQL for whether this Workspace admits external AI clients, evaluated on every use of an MCP credential. No row means
 * yes.
 */
export const letsAiIn = (workspaceId: string) =>
  `not exists (select from ai_access_policies ai where ai.workspace_id = ${workspaceId} and not ai.enabled)`;

/** A Workspace, regardless of the session's Workspace; an archived one only for its owners. */
export const ownWorkspace = (capability: WorkspaceCapability): Access<WorkspaceTarget> => ({
  reach: "own",
  load: (tx, _params, change) => tx.maybe<WorkspaceTarget>(change ? CHANGE : READ, []),
  permits: ({ member }) => may(member.role, capability),
});

const READ_OPEN = `${READ} and w.archived_at is null`;
const CHANGE_OPEN = `${READ_OPEN} for no key update of w`;
/** Like `ownWorkspace`, but never archived. */
export const openWorkspace = (capability: WorkspaceCapability): Access<WorkspaceTarget> => ({
  ...ownWorkspace(capability),
  load: (tx, _params, change) => tx.maybe<WorkspaceTarget>(change ? CHANGE_OPEN : READ_OPEN),
});

export interface PolicyTarget {
  json: string;
  revision: string;
}
/** Locks the Workspace row for changes of Workspace-wide invariants: its members and its policies. */
export const HOLD = "select from workspaces where id = current_workspace() for no key update";
/**
 * A policy of the Workspace, or its defaults. A preceding statement locks the Workspace row, so that of two first
 * writers the second sees the first one's row.
 */
export const policyOf = (capability: WorkspaceCapability, select: string): Access<PolicyTarget> => ({
  reach: "membership",
  permits: ({ member }) => may(member.role, capability),
  async load(tx, _params, change) {
    if (!change) return tx.maybe<PolicyTarget>(select);
    const [, row] = await Promise.all([tx.rows(HOLD), tx.maybe<PolicyTarget>(select)]);
    return row;
  },
});

export interface McpCredentialTarget {
  id: string;
  live: boolean;
}
const MCP_CREDENTIAL = `
select c.id, c.revoked_at is null as live from credentials c
where c.id = $1 and c.workspace_id = current_workspace() and c.kind = 'service' for no key update`;
/** One of the Workspace's MCP service credentials, revoked or not: revoking is idempotent. */
export const mcpServiceCredential = (): Access<McpCredentialTarget> => ({
  reach: "membership",
  load: (tx, params) => tx.maybe<McpCredentialTarget>(MCP_CREDENTIAL, [params.credential_id]),
  permits: ({ member }) => unlessHidden(may(member.role, "workspace:manage")),
});

/** The caller's current membership, not the one loaded when the request arrived. */
const callerNow =
  "memberships c on c.workspace_id = current_workspace() and c.user_id = current_account() and c.state = 'active'";

export interface WorkspaceMemberTarget extends MembershipState {
  id: string;
  user_id: string;
  revision: string;
  self: boolean;
  /** Whether the Workspace has another active owner. */
  other_owner: boolean;
  caller_role: Role;
}
/** SQL for whether the Workspace has an active owner other than membership m. */
export const otherOwner = `exists (
  select from memberships o where o.workspace_id = m.workspace_id and o.role = 'owner' and o.state = 'active'
    and o.id <> m.id)`;
const MEMBER = `
select m.id, m.user_id, m.role, m.state, m.revision::text, m.user_id = current_account() as self, c.role as caller_role,
  ${otherOwner} as other_owner
from memberships m join ${callerNow} where m.workspace_id = current_workspace() and m.id = $1`;
/**
 * A membership, for a change. Every change locks the Workspace row first, which serializes them: of two owners who
 * remove each other, the second finds that it is the last owner or no longer permitted.
 */
export const member = (): Access<WorkspaceMemberTarget> => ({
  reach: "membership",
  permits: (_context, { caller_role }) => may(caller_role, "members:manage"),
  async load(tx, params) {
    const [, row] = await Promise.all([tx.rows(HOLD), tx.maybe<WorkspaceMemberTarget>(MEMBER, [params.member_id])]);
    return row;
  },
});

const CALLER = `select c.role as caller_role from (select) request join ${callerNow}`;
/** All members, for a change under the same lock. */
export const members = (): Access<Pick<WorkspaceMemberTarget, "caller_role">> => ({
  reach: "membership",
  permits: (_context, { caller_role }) => may(caller_role, "members:manage"),
  async load(tx) {
    const [, row] = await Promise.all([tx.rows(HOLD), tx.maybe<Pick<WorkspaceMemberTarget, "caller_role">>(CALLER)]);
    return row;
  },
});

export interface InvitationTarget {
  id: string;
  email: string;
  role: string;
  state: "pending" | "accepted" | "expired" | "revoked";
}
const INVITATION = `
select i.id, i.email, i.role, ${invitationState} as state from invitations i
where i.workspace_id = current_workspace() and i.id = $1`;
const CHANGE_INVITATION = `${INVITATION} for no key update`;
export const invitation = (): Access<InvitationTarget> => ({
  reach: "membership",
  load: (tx, params, change) =>
    tx.maybe<InvitationTarget>(change ? CHANGE_INVITATION : INVITATION, [params.invitation_id]),
  permits: ({ member }) => unlessHidden(may(member.role, "members:manage")),
});
