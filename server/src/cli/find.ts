// Finding work on the command line.
import * as contract from "@svc/contract/cli/find.ts";
import { implementList } from "../kernel/implement.ts";
import { questionOf } from "../search/rules.ts";
import { findMatches, keyOf } from "../search/store.ts";
import { listOwnWork } from "../tasks/own-work/next-store.ts";
import { workspace } from "../workspaces/access.ts";
import { keyOfProject } from "./rules.ts";
import { cliTaskRowView } from "./view.ts";

export const listCliWork = implementList(contract.listCliWork, workspace("work:read"), (tx, { page }) =>
  listOwnWork(tx, cliTaskRowView, page),
);

export const searchCli = implementList(contract.searchCli, workspace("work:read"), async (tx, { query, page }) => {
  const q = questionOf(query.q);
  // There are no Documents yet.
  if (query.resource_type === "document") return [];
  const projectKey = query.project_code && keyOfProject(query.project_code);
  const found = await findMatches(tx, { q, type: "task", projectKey }, page);
  return found.map((match) => ({
    json: JSON.stringify({
      kind: "task",
      resource_type: "task",
      code: match.code,
      title: match.title,
      project_code: match.project_key,
    }),
    key: keyOf(match),
  }));
});
