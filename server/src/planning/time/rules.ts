// How a duration is written and rounded, which days a report may span, who may do what with recorded time, and how a file of it is
// written. Pure.
import type { Capability } from "@svc/contract/capabilities.ts";
import type { roundingModes } from "@svc/contract/planning/time/tracking.ts";
import type { Role } from "../../platform/kernel/authenticate.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { type ProjectRole, workCapabilities } from "../projects/rules.ts";

// ---- durations ----------------------------------------------------------------------------------------------------------------------

const LONGEST = 24 * 3600;
const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
/** 1h 30m, 90m, 1.5h, 45s: each unit once, the longest first, and at least one. */
const UNITS = new RegExp(String.raw`^(?=\d)(?:${NUMBER} *h)? *(?:${NUMBER} *m)? *(?:${NUMBER} *s)?$`, "i");
/** 1:30 or 1:30:15. */
const CLOCK = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/;
/** PT1H30M; a decimal fraction with a point or a comma. Days and longer have no fixed length in work. */
const ISO = /^PT(?=\d)(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?$/i;

/** In whole seconds; undefined where it is no duration, nothing, or more than a day. */
export function secondsOf(text: string): number | undefined {
  const said = text.trim();
  const [, hours, minutes, seconds] = UNITS.exec(said) ?? CLOCK.exec(said) ?? ISO.exec(said) ?? [];
  const [h = 0, m = 0, s = 0] = [hours, minutes, seconds].map((part) => Number((part ?? "0").replace(",", ".")));
  const total = Math.round(h * 3600 + m * 60 + s);
  return total >= 1 && total <= LONGEST ? total : undefined;
}

export type RoundingMode = (typeof roundingModes)[number];
const STEPS: Record<RoundingMode, number> = { exact: 1, ceil_15_minutes: 15 * 60, ceil_30_minutes: 30 * 60 };
/** Up to the next whole step. A day is a whole number of each, so that it stays the most. */
export const rounded = (seconds: number, mode: RoundingMode) => Math.ceil(seconds / STEPS[mode]) * STEPS[mode];

const WRONG =
  "must be a duration such as 1h 30m, 90m, 1.5h, 1:30 or PT1H30M, of more than nothing and at most 24 hours";
/** What a duration is recorded as. */
export function recorded(duration: string, mode: RoundingMode) {
  const seconds = secondsOf(duration) ?? refuseAt("/body/duration", "invalid_duration", WRONG);
  return { recorded_seconds: seconds, seconds: rounded(seconds, mode) };
}

// ---- reports ------------------------------------------------------------------------------------------------------------------------

const LONGEST_RANGE = 366;
/** Both days belong to the range. */
export function requireRange({ from, to }: { from: string; to: string }): void {
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  if (days < 1) refuseAt("/query/to", "invalid_range", "must not be before from", "before_from");
  if (days > LONGEST_RANGE) refuseAt("/query/to", "invalid_range", `must be within ${LONGEST_RANGE} days`, "too_long");
}

// ---- permission ---------------------------------------------------------------------------------------------------------------------

export type TimeCapability = "time:read" | "time:write" | "time:manage";
/** As with the work that the time is recorded on. */
export const timeCapabilities = (role: Role, projectRole: ProjectRole | null) =>
  workCapabilities(role, projectRole).map((capability) => capability.replace("work:", "time:") as TimeCapability);

export type EntryAction = Extract<Capability, `time_entry:${string}`>;
/** The author while they write in the Project that it was recorded in, and whoever manages it; neither once they do not see that Project. */
export function permitted(time: readonly TimeCapability[], entry: { own: boolean; seen: boolean }): EntryAction[] {
  const may = entry.seen && (time.includes("time:manage") || (entry.own && time.includes("time:write")));
  return may ? ["time_entry:update", "time_entry:void"] : [];
}
/** As things stand: nothing is left to do to what is voided or in an archived Project, and what lies in the trash can only be taken away. */
export function available(
  actions: readonly EntryAction[],
  state: { voided: boolean; trashed: boolean; project_archived: boolean },
) {
  if (state.voided || state.project_archived) return [];
  return state.trashed ? actions.filter((action) => action === "time_entry:void") : actions;
}

// ---- files --------------------------------------------------------------------------------------------------------------------------

/** A spreadsheet takes what starts so for a formula, and would run it; some leave out the space in front. */
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
