// Who may link a Document: whoever may change the Document and sees the other end, while neither of their Projects is
// archived.

import {
  inProject,
  permitsDocument,
  projectOfCaller,
  projectVisible,
  unlessArchived,
} from "../../../planning/projects/access.ts";
import type { Queries } from "../../../platform/database/db.ts";
import type { Access } from "../../../platform/kernel/implement-operation.ts";
import { type DocumentTarget, document } from "../access.ts";

export interface LinkTarget extends DocumentTarget {
  to: { kind: Linkable; id: string; trashed: boolean; project_archived: boolean };
  /** The origins of the link; empty if there is none. */
  origins: ("manual" | "content")[];
}

const seen = (from: string, trashed: string, where: string) => `
select x.id, ${trashed} as trashed, ${inProject}
from ${from} x join projects p on p.workspace_id = x.workspace_id and p.id = x.project_id ${projectOfCaller}
where x.workspace_id = current_workspace() and x.id = $1 and ${where}${projectVisible}`;
const ENDS = {
  task: seen("tasks", "x.trashed_at is not null", ""),
  milestone: seen("milestones", "false", "x.deleted_at is null and "),
} as const;
export type Linkable = keyof typeof ENDS;
/** Other kinds cannot be linked by hand. */
const linkable = (kind: string | undefined): kind is Linkable => kind !== undefined && Object.hasOwn(ENDS, kind);

// The share lock prevents deletion of the other end until the commit.
const end = (tx: Queries, kind: Linkable, id: string | undefined, change: boolean) =>
  tx.maybe<Omit<LinkTarget["to"], "kind">>(change ? `${ENDS[kind]} for key share of x` : ENDS[kind], [id]);
const ORIGINS = `
select array(select origin from document_links
  where workspace_id = current_workspace() and document_id = $1 and target_kind = $2 and target_id = $3
  order by origin desc) as origins`;

/** Loads the Document, locked for a change, and the other end, linked or not. */
export const documentAndTarget: Access<LinkTarget> = {
  reach: "membership",
  load: async (tx, params, change) => {
    const { document_id, target_kind: kind, target_id } = params;
    if (!linkable(kind)) return undefined;
    const [from, to, { origins }] = await Promise.all([
      document("documents:write").load(tx, params, change),
      end(tx, kind, target_id, change),
      tx.one<Pick<LinkTarget, "origins">>(ORIGINS, [document_id, kind, target_id]),
    ]);
    return from && to && { ...from, to: { ...to, kind }, origins };
  },
  permits: (context, target) => {
    const own = permitsDocument("documents:write")(context, target);
    return own === true ? unlessArchived(true, { ...target.to, project_role: null }) : own;
  },
};
