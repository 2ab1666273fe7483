// Access rules of people: active members of a Workspace see its current and former members. An invitation alone reveals
// nobody.
import type { Access } from "../../platform/kernel/implement-operation.ts";
import { otherOwner } from "./access.ts";
import { personView } from "./people-view.ts";
import type { MembershipState } from "./rules.ts";

/** Members of the caller's Workspace: the membership as m, the account as u. */
export const peopleOfWorkspace = `
users u join memberships m on m.workspace_id = current_workspace() and m.user_id = u.id and m.state <> 'invited'`;

export interface PersonTarget extends MembershipState {
  json: string;
  self: boolean;
  other_owner: boolean;
}
const LOAD = `
select ${personView} as json, m.role, m.state, u.id = current_account() as self, ${otherOwner} as other_owner
from ${peopleOfWorkspace} where u.username = $1`;

export const person = (): Access<PersonTarget> => ({
  reach: "membership",
  load: (tx, params) => tx.maybe<PersonTarget>(LOAD, [params.username]),
  permits: () => true,
});
