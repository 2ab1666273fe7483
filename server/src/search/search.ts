// Search over what the caller sees in a Workspace.
import * as contract from "@svc/contract/search/search.ts";
import { implementList } from "../kernel/implement.ts";
import { workspace } from "../workspaces/access.ts";
import { questionOf } from "./rules.ts";
import { findMatches, keyOf } from "./store.ts";
import { patternOf, resultOf } from "./view.ts";

export const search = implementList(contract.search, workspace("work:read"), async (tx, { query, page }) => {
  const q = questionOf(query.q);
  const { type, project_id: projectId, category } = query;
  const found = await findMatches(tx, { q, type, projectId, category }, page);
  const pattern = patternOf(found[0]?.words ?? []);
  return found.map((match) => ({ json: JSON.stringify(resultOf(match, pattern)), key: keyOf(match) }));
});
