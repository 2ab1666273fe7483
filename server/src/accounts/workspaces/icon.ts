// Workspace icon. Managers set it; every member can see it, regardless of the session's Workspace.
import * as contract from "@svc/contract/accounts/workspaces/icon.ts";
import type { Role } from "../../platform/kernel/authentication.ts";
import { implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { pictureUrl } from "../../platform/outside/picture.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { openWorkspace } from "./access.ts";
import { workspaceIconRemoved, workspaceIconReplaced } from "./events.ts";
import { may } from "./rules.ts";
import { workspaceIcons } from "./store.ts";

// Checks the permission again on the locked row, because sanitizing a picture takes a while.
const STILL_MANAGED = `
select m.role from workspaces w
join memberships m on m.workspace_id = w.id and m.user_id = current_account() and m.state = 'active'
where w.id = $1 and w.archived_at is null for no key update of w for share of m`;

export const replaceWorkspaceIcon = implementWithEffects(
  contract.replaceWorkspaceIcon,
  openWorkspace("workspace:manage"),
  async (context, { body }) => {
    const { workspaceId } = context.member;
    const { key, stored } = await workspaceIcons.store(context, workspaceId, body);
    return context.finish(async ({ tx, defer, record }) => {
      const found = await tx.maybe<{ role: Role }>(STILL_MANAGED, [workspaceId]);
      if (!found) return refuse("not_found");
      if (!may(found.role, "workspace:manage")) return refuse("forbidden");
      defer(workspaceIcons.replace(tx, workspaceId, key));
      record(workspaceIconReplaced({ kind: "workspace", id: workspaceId }));
      return stored;
    });
  },
);

export const deleteWorkspaceIcon = implement(
  contract.deleteWorkspaceIcon,
  openWorkspace("workspace:manage"),
  async ({ tx, member, record }) => {
    const { workspaceId } = member;
    const removed = await workspaceIcons.replace(tx, workspaceId, null);
    if (removed) record(workspaceIconRemoved({ kind: "workspace", id: workspaceId }));
  },
);

const FIND = "select icon_key from workspaces where id = $1";

export const getWorkspaceIconContent = implementWithEffects(
  contract.getWorkspaceIconContent,
  openWorkspace("workspace:read"),
  async ({ member, read, outside }) => {
    const found = await read((tx) => tx.maybe<{ icon_key: string | null }>(FIND, [member.workspaceId]));
    return { location: await pictureUrl(outside.storage, found?.icon_key) };
  },
);
