// Specialist runs of the caller's own: read, cancelled and resumed. They are hidden from everybody else, even an owner.
import * as contract from "@svc/contract/assistant/discuss/specialist-runs.ts";
import type { Capability } from "@svc/contract/capabilities.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { type Access, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { isOpen } from "../agents/execution/run-rules.ts";
import { cancelRun } from "../agents/execution/run-store.ts";
import { requireSlot } from "../runs/budget-store.ts";
import * as store from "./specialists/specialist-store.ts";

const own: Access<store.SpecialistTarget> = {
  reach: "membership",
  load: (tx, { specialist_run_id }, change) => store.readSpecialist(tx, specialist_run_id as string, change),
  permits: () => true,
};
const shown = (target: store.SpecialistTarget) => {
  const cancels: Capability[] = isOpen(target) ? ["specialist_run:cancel"] : [];
  const ended = target.state === "failed" || target.state === "cancelled";
  return render(target, ended && target.agent_active ? ["specialist_run:resume"] : cancels);
};
const now = async (tx: Parameters<typeof store.readSpecialist>[0], id: string) =>
  shown((await store.readSpecialist(tx, id)) as store.SpecialistTarget);

export const listSpecialistRuns = implementList(
  contract.listSpecialistRuns,
  workspace("workspace:read"),
  (tx, { page }) => store.listSpecialists(tx, page),
);

export const getSpecialistRun = implement(contract.getSpecialistRun, own, async (_context, { target }) =>
  shown(target),
);

export const cancelSpecialistRun = implement(contract.cancelSpecialistRun, own, async ({ tx }, { target }) => {
  await cancelRun(tx, target.id);
  return now(tx, target.id);
});

export const resumeSpecialistRun = implement(
  contract.resumeSpecialistRun,
  own,
  async ({ tx, principal, member, runLimits, enqueue }, { target }) => {
    if (target.state === "completed") return refuse("specialist_run_completed");
    if (target.state !== "failed" && target.state !== "cancelled") return shown(target);
    if (!target.agent_active) return refuse("agent_not_active");
    await requireSlot(tx, member.actorId, runLimits);
    await store.resumeSpecialist(tx, target.id, principal.credentialId, principal.kind);
    enqueue("agents", {});
    return now(tx, target.id);
  },
);
