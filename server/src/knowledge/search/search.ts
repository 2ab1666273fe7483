// Searches everything that the caller sees in a Workspace.
import * as contract from "@svc/contract/knowledge/search/search.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implementList } from "../../platform/kernel/implement-operation.ts";
import { questionOf } from "./rules.ts";
import { findMatches, keyOf, type Match } from "./store.ts";
import { shownOf } from "./view.ts";

export const search = implementList(contract.search, workspace("work:read"), async (tx, { query, page }) => {
  const q = questionOf(query.q);
  const { type, project_id: projectId, category } = query;
  const found = await findMatches(tx, { q, type, projectId, category }, page);
  const { shown, version } = shownOf(found, page.limit);
  const rows = shown.map((json, at) => ({ json, key: keyOf(found[at] as Match) }));
  const more = found.length > page.limit ? (rows.at(-1)?.key ?? null) : null;
  return { rows, more, beside: { result_version: version } };
});
