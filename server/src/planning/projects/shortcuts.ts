// Project shortcuts of a member. Nobody else can read them, and Projects that the owner can no longer see are omitted.
import { isDeepStrictEqual } from "node:util";
import * as contract from "@svc/contract/planning/projects/shortcuts.ts";
import { ownPreference } from "../../accounts/account/access.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { projectsSeen, shortcutsSeen } from "./access.ts";
import { projectShortcutsReplaced } from "./events.ts";

const own = ownPreference<{ project_ids: string[] }>("project_shortcuts", shortcutsSeen);

const shown = (kept: { project_ids: string[]; revision: string; updated_at: string | null }) => ({
  json: JSON.stringify(kept),
  revision: kept.revision,
});
export const getProjectShortcuts = implement(contract.getProjectShortcuts, own, async (_context, { target }) =>
  shown(target),
);

const VISIBLE = `${projectsSeen("$1")} as ids`;
const REPLACE = `
insert into project_shortcuts as old (workspace_id, actor_id, project_ids) values ($1, $2, $3)
on conflict (workspace_id, actor_id) do update
set project_ids = excluded.project_ids, revision = old.revision + 1, updated_at = now()`;

export const replaceProjectShortcuts = implement(
  contract.replaceProjectShortcuts,
  own,
  async ({ tx, member, principal, record, defer }, { target, body }) => {
    const wanted = [...new Set(body.project_ids.map((id) => id.toLowerCase()))];
    if (isDeepStrictEqual(wanted, target.project_ids)) return shown(target);
    const { ids } = await tx.one<{ ids: string[] }>(VISIBLE, [wanted]);
    if (ids.length < wanted.length) refuseProjects(body.project_ids, new Set(ids));
    defer(tx.rows(REPLACE, [member.workspaceId, member.actorId, wanted]));
    record(projectShortcutsReplaced({ kind: "actor", id: member.actorId }));
    const revision = String(BigInt(target.revision) + 1n);
    return shown({ project_ids: wanted, revision, updated_at: principal.now });
  },
);

const refuseProjects = (sent: readonly string[], seen: ReadonlySet<string>): never =>
  refuse("invalid_reference", {
    errors: sent.flatMap((id, index) =>
      seen.has(id.toLowerCase())
        ? []
        : [
            {
              pointer: `/body/project_ids/${index}`,
              code: "invalid_reference",
              detail: "must be a Project that you see",
            },
          ],
    ),
  });
