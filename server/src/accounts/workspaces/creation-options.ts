// Workspaces that an account can create: a Free one, unless it already holds a claim. The claim holder is always an
// active owner.
import * as contract from "@svc/contract/accounts/workspaces/creation-options.ts";
import type { Rendered } from "../../platform/kernel/implement-operation.ts";
import { type Access, implement } from "../../platform/kernel/implement-operation.ts";

const OPTIONS = `
select json_build_object(
  'free', json_build_object('claimed', f.workspace_id is not null, 'workspace_id', f.workspace_id),
  'paid', coalesce((select json_agg(json_build_object('plan', p.key) order by p.key desc) from billing_plans p
    where p.sold), '[]'))::text as json
from (select) account left join free_claims f on f.user_id = current_account()`;
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
