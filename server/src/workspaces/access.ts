// Who reaches a Workspace as such: its active members, with what their role permits.
import type { Membership, Role } from "../kernel/authenticate.ts";
import type { Access } from "../kernel/implement.ts";
import { type Capability, may } from "./rules.ts";
import { workspaceView } from "./view.ts";

export const workspace = (capability: Capability): Access<Membership> => ({
  reach: "membership",
  load: async ({ member }) => member,
  permits: ({ member }) => may(member.role, capability),
});

/** Which Workspaces an account itself sees, whatever its session is scoped to; an archived one only as an owner. $1 the account. */
export const ownWorkspaces = `
workspaces w join memberships m on m.workspace_id = w.id and m.user_id = $1 and m.state = 'active'
  and (w.archived_at is null or m.role = 'owner')`;

export interface WorkspaceTarget {
  json: string;
  revision: string;
  role: Role;
  archived: boolean;
}
const LOAD = `
select ${workspaceView} as json, w.revision::text, m.role, w.archived_at is not null as archived
from ${ownWorkspaces} where w.id = $2`;

export const ownWorkspace = (capability: Capability): Access<WorkspaceTarget> => ({
  reach: "account",
  load: ({ tx, principal }, params) => tx.maybe<WorkspaceTarget>(LOAD, [principal.userId, params.workspace_id]),
  permits: (_context, target) => may(target.role, capability),
});
