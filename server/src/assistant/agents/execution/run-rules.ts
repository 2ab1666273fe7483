// Rules of runs: the changes of a tool call, whether one needs approval, and its preview for the approver. Pure.
import { createHash } from "node:crypto";
import type { RunBudgets as Limits } from "../../runs/rules.ts";
import type { Args } from "../../tools/tool.ts";
import type { DefinitionBudgets, Trigger } from "../rules.ts";

/** Hours within which a change can be approved. */
export const APPROVAL_HOURS = 72;

export const limitsOf = (budgets: DefinitionBudgets): Limits => ({
  ms: budgets.seconds_per_run * 1000,
  rounds: budgets.steps_per_run,
  calls: budgets.steps_per_run,
  tokens: budgets.tokens_per_run,
  output: 4096,
});

const OPEN = new Set(["queued", "running", "waiting"]);
/** Whether the run can still be cancelled. */
export const isOpen = ({ state }: { state: string }) => OPEN.has(state);

/** A change, with the tool that makes it. */
export interface ToolChange {
  tool: string;
  args: Args;
}
/** Splits changes that were proposed together; null if an Agent may not make one of them. */
export function changesIn({ changes }: Args): ToolChange[] | null {
  const each = (changes as Args[]).map((change): ToolChange | null => {
    const { action, code, project, revision, markdown, set = {} } = change;
    if (change.result_set !== undefined) return null;
    if (action === "create") return { tool: "create_task", args: { project, ...set } };
    if (action === "update") return { tool: "update_task", args: { code, revision, ...set } };
    if (action === "comment") return { tool: "comment", args: { code, markdown } };
    return null;
  });
  return each.includes(null) ? null : (each as ToolChange[]);
}

export const targetOf = ({ args }: ToolChange): string =>
  args.path === undefined ? String(args.code ?? args.project ?? "").toUpperCase() : String(args.path);
export const projectOf = (change: ToolChange): string => targetOf(change).replace(/-\d+$/, "");
/**
 * Changes of a Document, or below one, always need approval: the text is others' work, and the Document may be public.
 */
export const canBeSmall = ({ args }: ToolChange): boolean => args.path === undefined && args.below === undefined;

const HIDDEN = new Set(["code", "project", "revision", "key"]);
/** Complete preview of a change: each field, and the diff of a Document. Nobody approves what they were not shown. */
export const previewOf = ({ args }: ToolChange): string => (typeof args.diff === "string" ? args.diff : fieldsOf(args));
const fieldsOf = (args: Args): string =>
  Object.entries(args)
    .filter(([name, value]) => !HIDDEN.has(name) && value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? indented(value) : JSON.stringify(value)}`)
    .join("\n");
/** Indents, so that no line of a text looks like another field. */
const indented = (text: string) => text.replaceAll("\n", "\n  ");

const ordered = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(ordered)
    : value && typeof value === "object"
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([name, each]) => [name, ordered(each)]),
        )
      : value;
/** Digest of this change of this run, which an approval is bound to. */
export const digestOf = (runId: string, actionId: string, { tool, args }: ToolChange) =>
  createHash("sha256")
    .update(JSON.stringify([runId, actionId, tool, ordered(args)]))
    .digest("hex");

/**
 * Whether the first message to the model quotes somebody else: the text that mentioned the Agent, the words of another
 * run, or the path of a Document, which is made from its title. A manual or delegated run has its initiator's words, a
 * Task is named by its code.
 */
export const isToldByOthers = (run: { trigger: string; document_path: string | null }): boolean =>
  run.trigger === "mention" || run.trigger === "discuss" || run.document_path !== null;

const MINUTES_LATE = 10;
/** Name of the last due time if it was within the last minutes, `2026-11-17 07:30`, and how many minutes ago it was. */
export function dueAt({ at, timezone, weekdays }: Trigger, now: Date): { name: string; late: number } | null {
  if (at === undefined || timezone === undefined) return null;
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone: timezone, hour: "2-digit", minute: "2-digit" });
  const [nowHours = 0, nowMinutes = 0] = clock.format(now).split(":").map(Number);
  const late = (nowHours * 60 + nowMinutes - hours * 60 - minutes + 1440) % 1440;
  if (late >= MINUTES_LATE) return null;
  const day = new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(new Date(now.getTime() - late * 60_000));
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
  return weekdays && !weekdays.includes(weekday) ? null : { name: `${day} ${at}`, late };
}
