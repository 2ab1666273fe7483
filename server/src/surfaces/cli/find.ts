// Search for the command line.
import * as contract from "@svc/contract/surfaces/cli/find.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { questionOf } from "../../knowledge/search/rules.ts";
import { findMatches, keyOf, type Match } from "../../knowledge/search/store.ts";
import { listOwnWork } from "../../planning/tasks/own-work/next-store.ts";
import { implementList } from "../../platform/kernel/implement-operation.ts";
import { requireProject } from "./access.ts";
import { keyOfProject } from "./rules.ts";
import { cliTaskRowView } from "./view.ts";

export const listCliWork = implementList(contract.listCliWork, workspace("work:read"), (tx, { page }) =>
  listOwnWork(tx, cliTaskRowView, page),
);

const byScore = (one: Match, other: Match) => other.score - one.score || (other.id < one.id ? -1 : 1);

/** Both kinds have the same ranking, so that they merge into one order. */
export const searchCli = implementList(contract.searchCli, workspace("work:read"), async (tx, { query, page }) => {
  const q = questionOf(query.q);
  const projectKey = query.project_code && keyOfProject(query.project_code);
  const kinds = query.resource_type ? [query.resource_type] : (["task", "document"] as const);
  const [, ...found] = await Promise.all([
    requireProject(tx, projectKey),
    ...kinds.map((type) => findMatches(tx, { q, type, projectKey }, page)),
  ]);
  return found
    .flat()
    .sort(byScore)
    .slice(0, page.limit + 1)
    .map((match) => ({
      json: JSON.stringify({
        kind: match.type,
        resource_type: match.type,
        code: match.code ?? match.path,
        title: match.title,
        project_code: match.project_key,
      }),
      key: keyOf(match),
    }));
});
