// Limits the tests that `npm test -- --changed` runs: all that belong to the change, and the nearest others within the
// time budget.
import { CONTRACT, type Selected } from "./changed-tests.ts";
import { durationOf, workersFor } from "./test-durations.mjs";

/**
 * Budget of test durations for each worker: types, lint and the start of the database bring the total to less than 90
 * s.
 */
const BUDGET_MS = 28_000;
/** Maximum duration, in budgets, of a single file that does not belong to the change itself. */
const LONGEST = 1.2;
/** Share of the stored duration of a test of the contract that does not depend on the number of operations. */
const FIXED = 0.1;

/** The stored duration; for the contract's test, the share for the operations that it runs on. */
export function durationOnOperations(weight: number, duration = durationOf()) {
  const share = FIXED + (1 - FIXED) * weight;
  return (path: string) => (path === CONTRACT ? duration(path) * share : duration(path));
}

/**
 * All tests of level 0, and as many others as fit into the budget, nearest and shortest first. The sum is limited too:
 * workers that wait for a long test still share the processors.
 */
export function withinBudget(
  selected: readonly Selected[],
  workers = workersFor(),
  duration = durationOf(),
  budget = BUDGET_MS,
): string[] {
  const chosen = selected.filter(({ level }) => level === 0).map(({ path }) => path);
  const sum = (durations: readonly number[]) => durations.reduce((total, ms) => total + ms, 0);
  const longest = Math.max(LONGEST * budget, ...chosen.map(duration));
  const fits = (durations: readonly number[]) =>
    sum(durations) <= budget * workers && Math.max(...durations) <= longest;
  const ranked = selected
    .filter(({ level }) => level > 0)
    .sort((a, b) => a.level - b.level || duration(a.path) - duration(b.path));
  for (const { path } of ranked) if (fits([...chosen, path].map(duration))) chosen.push(path);
  return chosen;
}
