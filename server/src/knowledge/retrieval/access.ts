// Places of the index that the caller sees now: their included Projects, and the Documents in no Project. Determined
// before any search.

import { may } from "../../accounts/workspaces/rules.ts";
import { callerNarrowed, projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";

export interface SeenPlace {
  id: string;
  /** Increases with every change of the place. */
  version: number;
  /** Removals before this version are unknown. */
  floor: number;
  /** Sources removed from the place that a copy in memory may still have. */
  gone: string[];
}

const included = `
from unnest(s.included_projects) i(id) join projects p on p.workspace_id = s.workspace_id and p.id = i.id`;
const PLACES = `
/* reads up to 3000: the Projects that are included, of which there are 1,000 at most, and whether each is seen */
select k.place_id as id, k.version::float8 as version, k.floor::float8 as floor,
  array(select g.source_id from knowledge_gone g
    where g.workspace_id = k.workspace_id and g.place_id = k.place_id and g.version is null) as gone
from knowledge_settings s
cross join lateral (
  select p.id ${included} ${projectOfCaller} where ${projectVisible}
  union all
  select s.workspace_id where s.include_workspace_documents and not ${callerNarrowed}
    and exists (select ${included} where p.deleted_at is null)
) v(id)
join knowledge_places k on k.workspace_id = s.workspace_id and k.place_id = v.id and not k.leaving
where s.workspace_id = current_workspace() and s.enabled is not false
  and entitled(s.workspace_id, 'workspace_knowledge')
order by k.place_id`;
export const placesSeen = (tx: Queries) => tx.rows<SeenPlace>(PLACES);

export const knowledge: Access<SeenPlace[]> = {
  reach: "membership",
  load: (tx) => placesSeen(tx),
  permits: ({ member }) => may(member.role, "knowledge:read"),
};
