// Access to the knowledge repository: whoever manages all Documents of the Workspace.

import { HOLD, policyOf } from "../../accounts/workspaces/access.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";
import type { Conflict } from "./run-store.ts";
import { CONNECTION, conflictView } from "./view.ts";

export const MANAGE = "documents:manage";
export const connection = () => policyOf(MANAGE, CONNECTION);

export interface ConflictTarget extends Conflict {
  id: string;
  revision: string;
  json: string;
}
const CONFLICT = `
select c.id, c.document_id, c.kind, c.path, c.base, c.ours, c.theirs, c.theirs_oid, c.theirs_parent_id,
  c.revision::text, ${conflictView} as json
from repository_conflicts c where c.workspace_id = current_workspace() and c.id = $1 and c.state = 'open'`;
/** Locks the connection too: a conflict is resolved once, and not while the repository is reconnected. */
export const conflict = (): Access<ConflictTarget> => ({
  reach: "membership",
  permits: ({ member }) => may(member.role, MANAGE) || "not_found",
  async load(tx, { conflict_id }, change) {
    if (!change) return tx.maybe<ConflictTarget>(CONFLICT, [conflict_id]);
    const [, row] = await Promise.all([
      tx.rows(HOLD),
      tx.maybe<ConflictTarget>(`${CONFLICT} for update of c`, [conflict_id]),
    ]);
    return row;
  },
});
