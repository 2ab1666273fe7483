// Limits of the assistant's and Agents' runs, per person and per Workspace.
import { readCount } from "./amounts.ts";
import { variable } from "./variable.ts";

export interface RunLimits {
  /** Turns with the assistant that one person starts within an hour. */
  turnsPerHour: number;
  /** Queued and running runs of one person. */
  perPerson: number;
  perWorkspace: number;
}
export const defaultRunLimits: RunLimits = { turnsPerHour: 120, perPerson: 20, perWorkspace: 100 };

export const runLimitVariables = {
  DISCUSS_TURNS_PER_HOUR: variable(
    String(defaultRunLimits.turnsPerHour),
    "turns with the assistant that one person begins within an hour in a Workspace, 1 to 1000",
    readCount,
  ),
  RUNS_PER_PERSON: variable(
    String(defaultRunLimits.perPerson),
    "runs of the assistant and of Agents that one person has queued or under way in a Workspace, 1 to 1000",
    readCount,
  ),
  RUNS_PER_WORKSPACE: variable(
    String(defaultRunLimits.perWorkspace),
    "runs of the assistant and of Agents that one Workspace has queued or under way, 1 to 1000",
    readCount,
  ),
};
