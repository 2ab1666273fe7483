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
  name: Type.String({ description: "Name of the Agent." }),
  trigger: Type.Enum(["discuss"]),
});
const SpecialistRun = single(SpecialistRunRow);
const ONE = "/workspaces/{workspace_id}/discuss/specialist-runs/{specialist_run_id}" as const;

export const listSpecialistRuns = list(
  "GET /workspaces/{workspace_id}/discuss/specialist-runs",
  "List your specialist runs, newest first",
  { ...reading, baseline: true, include: ["people"], items: SpecialistRunRow },
);

export const getSpecialistRun = op(`GET ${ONE}`, "Read your specialist run", {
  ...reading,
  baseline: true,
  include: ["people"],
  returns: SpecialistRun,
});

export const cancelSpecialistRun = op(`POST ${ONE}/cancel`, "Cancel your specialist run", {
  ...writing,
  description:
    "A run that has not started ends at once. A running one is asked to stop at its next step; it may " +
    "complete before that. A run that has ended is returned unchanged.",
  returns: SpecialistRun,
});

export const resumeSpecialistRun = op(`POST ${ONE}/resume`, "Resume your specialist run", {
  ...writing,
  description:
    "A failed or cancelled run resumes after its last completed step, with the session that you resume " +
    "it with; steps are retained for seven days, and after that it starts again. A run in progress is " +
    "returned unchanged.",
  returns: SpecialistRun,
  errors: ["specialist_run_completed", "agent_not_active", "runs_exceeded"],
});
