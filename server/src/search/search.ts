// Search over what the caller sees in a Workspace.
import * as contract from "@svc/contract/search/search.ts";
import { implementList } from "../kernel/implement.ts";
import { workspace } from "../workspaces/access.ts";
import { questionOf } from "./rules.ts";
import { findMatches, keyOf } from "./store.ts";
import { patternOf, resultOf, versionOf } from "./view.ts";

export const search = implementList(contract.search, workspace("work:read"), async (tx, { query, page }) => {
  const q = questionOf(query.q);
  const { type, project_id: projectId, category } = query;
  const found = await findMatches(tx, { q, type, projectId, category }, page);
  const pattern = patternOf(found[0]?.words ?? []);
  const rows = found.map((match) => ({ json: JSON.stringify(resultOf(match, pattern)), key: keyOf(match) }));
  const shown = rows.slice(0, page.limit);
  const more = rows.length > page.limit ? (shown.at(-1)?.key ?? null) : null;
  return { rows: shown, more, beside: { result_version: versionOf(shown.map(({ json }) => json)) } };
});
