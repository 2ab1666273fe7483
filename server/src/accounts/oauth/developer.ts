// Developer clients: the command line and IDE plugins. Their tokens are bound to one Workspace. Moving a grant to
// another Workspace of the same person revokes its earlier tokens.
import * as contract from "@svc/contract/accounts/oauth/developer.ts";
import {
  type Access,
  account,
  implement,
  implementList,
  implementWithEffects,
  open,
} from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { Refusal, refuse } from "../../platform/wire/problem.ts";
import { ownWorkspaces, type WorkspaceTarget } from "../workspaces/access.ts";
import { workspaceCapabilities } from "../workspaces/rules.ts";
import { workspaceView } from "../workspaces/view.ts";
import { authorize, exchange, revoke, tokensOf } from "./engine.ts";
import { oauthGrantMoved } from "./events.ts";
import * as store from "./store.ts";

export const authorizeDeveloperClient = implementWithEffects(
  contract.authorizeDeveloperClient,
  account(),
  (context, { query }) => authorize(context, "developer", contract.authorizeDeveloperClient, query),
);

export const createDeveloperToken = implementWithEffects(contract.createDeveloperToken, open(), (context, { body }) =>
  exchange(context, "developer", body),
);

export const revokeDeveloperToken = implement(contract.revokeDeveloperToken, account(), async (context) => {
  const { tx, principal } = context;
  await revoke(context, await store.grantOfCredential(tx, principal.credentialId));
});

const HERE = `
select ${workspaceView} as json, w.revision::text, false as archived
from ${ownWorkspaces} where w.id = current_workspace()`;
/** The Workspace that the credential is bound to, while its person is a member. */
const here: Access<WorkspaceTarget> = {
  reach: "membership",
  load: (tx) => tx.maybe<WorkspaceTarget>(HERE),
  permits: () => true,
};
export const getDeveloperWorkspace = implement(contract.getDeveloperWorkspace, here, async ({ member }, { target }) =>
  render(target, workspaceCapabilities(member.role)),
);

export const getTokenWorkspace = implement(contract.getTokenWorkspace, here, async (_context, { target }) => {
  const { id, slug, name, role } = JSON.parse(target.json);
  return { workspace_id: id, slug, name, role };
});

const LIST = `
select ${workspaceView} as json, json_build_array(w.id)::text as key
from ${ownWorkspaces}
where w.archived_at is null and m.workspace_id > $1
order by m.workspace_id limit $2`;
export const listDeveloperWorkspaces = implementList(contract.listDeveloperWorkspaces, account(), (tx, { page }) =>
  tx.rows(LIST, [page.after?.[0] ?? NIL, page.limit + 1]),
);

export const replaceDeveloperWorkspace = implement(
  contract.replaceDeveloperWorkspace,
  account(),
  async ({ tx, principal, record }, { body }) => {
    const { userId, credentialId } = principal;
    const moved = await store.moveGrant(tx, credentialId, userId, body.workspace_id);
    if (!moved.live) throw new Refusal("invalid_token");
    if (moved.grant_id === null) return refuse("workspace_access_denied");
    const [, issued] = await Promise.all([
      store.endTokens(tx, moved.grant_id),
      store.issueTokens(tx, "developer", moved.grant_id),
    ]);
    if (!issued) throw new Refusal("invalid_token");
    record(oauthGrantMoved({ kind: "oauth_grant", id: moved.grant_id }, { workspace_id: body.workspace_id }));
    return { ...tokensOf("developer", issued), workspace_id: body.workspace_id };
  },
);
