// Who reaches a Workspace as such: its active members, with what their role permits.
import type { Role } from "../kernel/authenticate.ts";
import type { Access } from "../kernel/implement.ts";
import { type Capability, may } from "./rules.ts";
import { workspaceView } from "./view.ts";

export const workspace = (capability: Capability): Access<null> => ({
  reach: "membership",
  load: async () => null,
  permits: ({ member }) => may(member.role, capability),
});

/** Owners and admins see and manage everything in the Workspace. */
export const callerManages = "current_setting('svc.role', true) in ('owner', 'admin')";

/** Which Workspaces an account itself sees, whatever its session is scoped to; an archived one only as an owner. */
export const ownWorkspaces = `
workspaces w join memberships m on m.workspace_id = w.id and m.user_id = current_account() and m.state = 'active'
  and (w.archived_at is null or m.role = 'owner')`;

export interface WorkspaceTarget {
  json: string;
  revision: string;
  role: Role;
  archived: boolean;
}
const LOAD = `
select ${workspaceView} as json, w.revision::text, m.role, w.archived_at is not null as archived
from ${ownWorkspaces} where w.id = $1`;

export const ownWorkspace = (capability: Capability): Access<WorkspaceTarget> => ({
  reach: "account",
  load: (tx, params) => tx.maybe<WorkspaceTarget>(LOAD, [params.workspace_id]),
  permits: (_context, target) => may(target.role, capability),
});
