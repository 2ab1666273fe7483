// Pure rules of time entries: parsing and rounding of durations, report ranges, permissions, and CSV output.
import type { Capability } from "@svc/contract/capabilities.ts";
import type { roundingModes } from "@svc/contract/planning/time/tracking.ts";
import type { Role } from "../../platform/kernel/authentication.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { type ProjectRole, workCapabilities } from "../projects/rules.ts";

// ---- durations
// ----------------------------------------------------------------------------------------------------------------------

const LONGEST = 24 * 3600;
const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
/** Matches 1h 30m, 90m, 1.5h, 45s: each unit at most once, the longest first, and at least one. */
const UNITS = new RegExp(String.raw`^(?=\d)(?:${NUMBER} *h)? *(?:${NUMBER} *m)? *(?:${NUMBER} *s)?$`, "i");
/** Matches 1:30 or 1:30:15. */
const CLOCK = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/;
/** Matches PT1H30M, with a point or a comma in fractions. Days and longer units have no fixed working time. */
const ISO = /^PT(?=\d)(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?$/i;

/** Duration in whole seconds; undefined if the text is not a duration, is zero, or exceeds a day. */
export function secondsOf(text: string): number | undefined {
  const said = text.trim();
  const [, hours, minutes, seconds] = UNITS.exec(said) ?? CLOCK.exec(said) ?? ISO.exec(said) ?? [];
  const [h = 0, m = 0, s = 0] = [hours, minutes, seconds].map((part) => Number((part ?? "0").replace(",", ".")));
  const total = Math.round(h * 3600 + m * 60 + s);
  return total >= 1 && total <= LONGEST ? total : undefined;
}

export type RoundingMode = (typeof roundingModes)[number];
const STEPS: Record<RoundingMode, number> = { exact: 1, ceil_15_minutes: 15 * 60, ceil_30_minutes: 30 * 60 };
/** Rounds up to the next step. A day is a multiple of every step, so that it stays the maximum. */
export const rounded = (seconds: number, mode: RoundingMode) => Math.ceil(seconds / STEPS[mode]) * STEPS[mode];

const WRONG =
  "must be a duration such as 1h 30m, 90m, 1.5h, 1:30 or PT1H30M, of more than nothing and at most 24 hours";
/** Parses a duration into its recorded and its rounded seconds. */
export function recorded(duration: string, mode: RoundingMode) {
  const seconds = secondsOf(duration) ?? refuseAt("/body/duration", "invalid_duration", WRONG);
  return { recorded_seconds: seconds, seconds: rounded(seconds, mode) };
}

// ---- reports
// ------------------------------------------------------------------------------------------------------------------------

const LONGEST_RANGE = 366;
/** Refuses an invalid range; both days are included. */
export function requireRange({ from, to }: { from: string; to: string }): void {
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  if (days < 1) refuseAt("/query/to", "invalid_range", "must not be before from", "before_from");
  if (days > LONGEST_RANGE) refuseAt("/query/to", "invalid_range", `must be within ${LONGEST_RANGE} days`, "too_long");
}

// ---- permission
// ---------------------------------------------------------------------------------------------------------------------

export type TimeCapability = "time:read" | "time:write" | "time:manage";
/** Capabilities on time entries, derived from those on the work. */
export const timeCapabilities = (role: Role, projectRole: ProjectRole | null) =>
  workCapabilities(role, projectRole).map((capability) => capability.replace("work:", "time:") as TimeCapability);

export type EntryAction = Extract<Capability, `time_entry:${string}`>;
/**
 * Actions by role: the author while they may write in the Project of the entry, and those who manage it; neither once
 * they can no longer see that Project.
 */
export function permitted(time: readonly TimeCapability[], entry: { own: boolean; seen: boolean }): EntryAction[] {
  const may = entry.seen && (time.includes("time:manage") || (entry.own && time.includes("time:write")));
  return may ? ["time_entry:update", "time_entry:void"] : [];
}
/**
 * Actions available in the current state: none on a voided entry or in an archived Project, and only voiding while the
 * Task is in the trash.
 */
export function available(
  actions: readonly EntryAction[],
  state: { voided: boolean; trashed: boolean; project_archived: boolean },
) {
  if (state.voided || state.project_archived) return [];
  return state.trashed ? actions.filter((action) => action === "time_entry:void") : actions;
}

// ---- files
// --------------------------------------------------------------------------------------------------------------------------

/** Prefixes that spreadsheets interpret as formulas and would run; some ignore a leading space. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
function field(value: unknown): string {
  const text = value === null ? "" : String(value);
  const safe = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
/** RFC 4180, with a header row. */
export const csvOf = (columns: readonly string[], rows: readonly Record<string, unknown>[]) =>
  [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((line) => `${line.map(field).join(",")}\r\n`)
    .join("");
