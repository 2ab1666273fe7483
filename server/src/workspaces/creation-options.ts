// What an account can create. Of the Workspace that holds its Free claim only the id is told, and only to a member of it.
import * as contract from "@svc/contract/workspaces/creation-options.ts";
import type { Rendered } from "../kernel/implement.ts";
import { type Access, implement } from "../kernel/implement.ts";

const OPTIONS = `
select json_build_object(
  'free', json_build_object('claimed', w.id is not null, 'workspace_id', m.workspace_id),
  'paid', json_build_array())::text as json
from (select) account
left join workspaces w on w.created_by_user_id = current_account() and w.plan = 'free' and w.archived_at is null
left join memberships m on m.workspace_id = w.id and m.user_id = current_account() and m.state = 'active'`;
const options: Access<Rendered> = {
  reach: "account",
  load: (tx) => tx.one<Rendered>(OPTIONS),
  permits: () => true,
};

export const getWorkspaceCreationOptions = implement(
  contract.getWorkspaceCreationOptions,
  options,
  async (_context, { target }) => target,
);

export const getMobileWorkspaceCreationOptions = implement(
  contract.getMobileWorkspaceCreationOptions,
  options,
  async (_context, { target }) => target,
);
