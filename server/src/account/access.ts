// What belongs to an account: its own tokens, and the memberships through which it can enter a Workspace.
import type { Access } from "../kernel/implement.ts";

/** The memberships that let somebody in: active, and in a Workspace that is not archived. */
export const openMemberships = `
memberships m join workspaces w on w.id = m.workspace_id and w.archived_at is null and m.state = 'active'`;

export interface TokenTarget {
  id: string;
  live: boolean;
}
const LOAD = `
select t.id, t.revoked_at is null as live from credentials t
where t.id = $1 and t.user_id = current_account() and t.kind = 'personal' for no key update`;

/** One of the caller's own tokens, revoked or not: revoking twice is no fault. */
export const apiToken = (): Access<TokenTarget> => ({
  reach: "account",
  load: (tx, params) => tx.maybe<TokenTarget>(LOAD, [params.token_id]),
  permits: () => true,
});
