// Display preferences of the Project list: private to a member, and applied by the client.
import * as contract from "@svc/contract/planning/projects/display-preferences.ts";
import type { Static } from "typebox";
import { ownPreference } from "../../accounts/account/access.ts";
import { differing } from "../../platform/database/sql.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { projectDisplayReplaced } from "./events.ts";

type Display = Static<typeof contract.ProjectDisplay>;
const defaults: Display = {
  layout: "list",
  group_by: "state",
  order_by: "manual",
  show_archived: false,
  show_completed: true,
  columns: ["key", "state", "lead", "progress", "target_date"],
};

const own = ownPreference<{ preferences: Partial<Display> | null }>("project_display_preferences", "r.preferences");

export const getProjectDisplayPreferences = implement(
  contract.getProjectDisplayPreferences,
  own,
  async (_context, { target }) => answer(shown(target), target.revision, target.updated_at),
);

const REPLACE = `
insert into project_display_preferences as old (workspace_id, actor_id, preferences) values ($1, $2, $3)
on conflict (workspace_id, actor_id) do update
set preferences = excluded.preferences, revision = old.revision + 1, updated_at = now()`;

export const replaceProjectDisplayPreferences = implement(
  contract.replaceProjectDisplayPreferences,
  own,
  async ({ tx, member, principal, record, defer }, { target, body }) => {
    if (!differing(body, shown(target))) return answer(shown(target), target.revision, target.updated_at);
    defer(tx.rows(REPLACE, [member.workspaceId, member.actorId, JSON.stringify(body)]));
    record(projectDisplayReplaced({ kind: "actor", id: member.actorId }));
    return answer(body, String(BigInt(target.revision) + 1n), principal.now);
  },
);

const shown = ({ preferences }: { preferences: Partial<Display> | null }): Display => ({ ...defaults, ...preferences });
const answer = (display: Display, revision: string, updated_at: string | null) => ({
  json: JSON.stringify({ ...display, revision, updated_at }),
  revision,
});
