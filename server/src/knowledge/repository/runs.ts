// Runs of the synchronization: requested and listed. A job performs a run; a request while one is queued or running
// returns that one.
import * as contract from "@svc/contract/knowledge/repository/runs.ts";
import type { PolicyTarget } from "../../accounts/workspaces/access.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { managing } from "../../accounts/workspaces/rules.ts";
import { type Context, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { connection, MANAGE } from "./access.ts";
import { repositoryRunRequested } from "./events.ts";
import * as store from "./store.ts";

export const listKnowledgeRepositoryRuns = implementList(
  contract.listKnowledgeRepositoryRuns,
  workspace(MANAGE),
  (tx, { page }) => store.listRuns(tx, page),
);

async function request(
  { tx, member, record }: Context,
  target: PolicyTarget,
  wanted: Omit<store.SyncRequest, "requested_by_actor_id">,
) {
  const { state, synchronized_at } = JSON.parse(target.json) as { state: string; synchronized_at: string | null };
  if (state !== "active") refuse("repository_inactive");
  if (wanted.kind === "import" && synchronized_at !== null) refuse("repository_synchronized");
  const run = await store.requestRun(tx, member.workspaceId, { ...wanted, requested_by_actor_id: member.actorId });
  record(repositoryRunRequested({ kind: "workspace", id: member.workspaceId }, { kind: wanted.kind, run_id: run.id }));
  return { json: run.json, capabilities: managing(member.role, MANAGE) };
}

export const syncKnowledgeRepository = implement(
  contract.syncKnowledgeRepository,
  connection(),
  (context, { target, body }) => request(context, target, { kind: "sync", ...body }),
);

export const importKnowledgeRepository = implement(
  contract.importKnowledgeRepository,
  connection(),
  (context, { target }) => request(context, target, { kind: "import" }),
);
