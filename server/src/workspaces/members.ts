// The people of a Workspace, present and former. Addresses are shown to those who manage members and to nobody else.
import * as contract from "@svc/contract/workspaces/members.ts";
import { NIL } from "../kernel/ids.ts";
import { implementList } from "../kernel/implement.ts";
import { callerManages, workspace } from "./access.ts";
import { memberView } from "./view.ts";

// In the order of joining, which never changes; names do.
const LIST = `
select ${memberView(callerManages)} as json, json_build_array(m.id)::text as key
from memberships m join users u on u.id = m.user_id
where m.workspace_id = current_workspace() and m.id > $1 and ($3::text is null or m.state = $3)
order by m.id limit $2`;

export const listMembers = implementList(contract.listMembers, workspace("workspace:read"), (tx, { query, page }) =>
  tx.rows(LIST, [page.after?.[0] ?? NIL, page.limit + 1, query.state ?? null]),
);
