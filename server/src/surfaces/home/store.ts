// SQL of Home: the caller in this Workspace, their Workspaces and their shortcuts.
import { OwnHome } from "@svc/contract/surfaces/home/work.ts";
import { ownPreference } from "../../accounts/account/access.ts";
import { ownWorkspaces } from "../../accounts/workspaces/access.ts";
import { workspaceView } from "../../accounts/workspaces/view.ts";
import { shortcutsSeen } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { view } from "../../platform/database/view.ts";

const { account, membership } = OwnHome.properties;
const OWN = `
select ${view(account, "u")} as account, ${view(membership, "m")} as membership
from users u join memberships m on m.workspace_id = current_workspace() and m.actor_id = current_actor()
where u.id = current_account()`;
export const ownAccount = (tx: Queries) => tx.one<{ account: string; membership: string }>(OWN);

const listed = (where: string) => `
select ${workspaceView} as json from ${ownWorkspaces} where w.archived_at is null ${where} order by w.id limit $1`;
const [EVERY, THIS] = [listed(""), listed("and w.id = current_workspace()")];
/** All Workspaces of the account, or this one alone. */
export const workspacesOf = (tx: Queries, every: boolean, rows: number) =>
  tx.rows<{ json: string }>(every ? EVERY : THIS, [rows]);

interface Shortcuts {
  project_ids: string[];
  revision: string;
  updated_at: string | null;
}
const shortcuts = ownPreference<Shortcuts>("project_shortcuts", shortcutsSeen);
export const ownShortcuts = (tx: Queries) => shortcuts.load(tx, {}, false) as Promise<Shortcuts>;
