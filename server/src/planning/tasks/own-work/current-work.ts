// The current work of a member: set by the member and visible to nobody else. Setting it neither assigns nor starts the
// Task.
import * as contract from "@svc/contract/planning/tasks/own-work/current-work.ts";
import { ownPreference } from "../../../accounts/account/access.ts";
import { workspace } from "../../../accounts/workspaces/access.ts";
import { type Context, implement } from "../../../platform/kernel/implement-operation.ts";
import { refuseAt } from "../../../platform/wire/problem.ts";
import { candidates, keepWork, keptWork, workableTask } from "./current-work-store.ts";
import { currentWorkChanged } from "./suggestion-events.ts";

interface Kept {
  /** The chosen Task, eligible or not. */
  task_id: string | null;
  since: string | null;
  /** JSON of the Task if it is still eligible, else null. */
  task: string | null;
}
const own = ownPreference<Kept>("current_work", keptWork);

interface Shown {
  task: string | null;
  since: string | null;
  revision: string;
  updated_at: string | null;
}
function answer({ task, since, revision, updated_at }: Shown) {
  const rest = JSON.stringify({ since: task === null ? null : since, revision, updated_at });
  return { json: `{"task":${task},${rest.slice(1)}`, revision };
}

/** The statement is sent with the commit. */
function keep({ tx, member, record, defer }: Context, from: string | null, to: string | null) {
  defer(keepWork(tx, to));
  record(currentWorkChanged({ kind: "actor", id: member.actorId }, { from, to }));
}

export const getCurrentWork = implement(contract.getCurrentWork, own, async (_context, { target }) => answer(target));

export const setCurrentWork = implement(contract.setCurrentWork, own, async (context, { target, body }) => {
  const { tx, principal } = context;
  const taskId = body.task_id.toLowerCase();
  const found = await workableTask(tx, taskId);
  const { task } = found ?? refuseAt("/body/task_id", "invalid_reference", "must be an open Task that you see");
  if (target.task_id === taskId) return answer({ ...target, task });
  keep(context, target.task_id, taskId);
  const revision = String(BigInt(target.revision) + 1n);
  return answer({ task, since: principal.now, revision, updated_at: principal.now });
});

export const clearCurrentWork = implement(contract.clearCurrentWork, own, async (context, { target }) => {
  if (target.task_id !== null) keep(context, target.task_id, null);
});

export const listCurrentWorkCandidates = implement(
  contract.listCurrentWorkCandidates,
  workspace("work:read"),
  async ({ tx }) => ({ json: `{"items":${(await candidates(tx)).items}}` }),
);
