// Runs of Agents that a turn of Discuss has started: private to the member who asked. They only read and report;
// changes are proposed in the conversation.
import Type from "typebox";
import { list, op } from "../../kit.ts";
import { object, single } from "../../types.ts";
import { runFields } from "../agents/runs.ts";
import { reading, writing } from "./private.ts";

const { trigger: _, ...fields } = runFields;
export const SpecialistRunRow = object({
  ...fields,
  name: Type.String({ description: "What the Agent is called." }),
  trigger: Type.Enum(["discuss"]),
});
const SpecialistRun = single(SpecialistRunRow);
const ONE = "/workspaces/{workspace_id}/discuss/specialist-runs/{specialist_run_id}" as const;

export const listSpecialistRuns = list(
  "GET /workspaces/{workspace_id}/discuss/specialist-runs",
  "List your specialist runs, newest first",
  { ...reading, baseline: true, include: ["people"], items: SpecialistRunRow },
);

export const getSpecialistRun = op(`GET ${ONE}`, "Read a specialist run of yours", {
  ...reading,
  baseline: true,
  include: ["people"],
  returns: SpecialistRun,
});

export const cancelSpecialistRun = op(`POST ${ONE}/cancel`, "Cancel a specialist run of yours", {
  ...writing,
  description:
    "One that has not begun ends at once. One that runs is asked to stop at its next step; " +
    "it may complete before that. One that has ended is answered as it is.",
  returns: SpecialistRun,
});

export const resumeSpecialistRun = op(`POST ${ONE}/resume`, "Have a specialist run of yours go on", {
  ...writing,
  description:
    "One that failed or was cancelled goes on from its last finished step, with the session that you resume it " +
    "with; steps are kept for seven days, and after that it begins anew. One that is under way is answered as it is.",
  returns: SpecialistRun,
  errors: ["specialist_run_completed", "agent_not_active", "runs_exceeded"],
});
