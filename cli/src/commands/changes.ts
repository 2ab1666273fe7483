// Commands for approvals and for the outcome of writes: ChangeSets, receipts, undo and redo.
import { openBrowser } from "../browser.ts";
import type { Result, Run } from "../command.ts";
import { openSession, type Session } from "../credentials/session.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import type { Input } from "../input.ts";
import { type Screen, safe, safeLine } from "../output/screen.ts";
import { fields } from "../output/table.ts";
import { type Told, toolsOf } from "../tools.ts";

const named = ({ id, version }: Told) => (version === 1 ? id : `${id}@${version}`);

const NEXT: Record<string, (set: Told) => string> = {
  draft: () => "Something in it would be refused, so it cannot be approved.",
  proposed: (set) => `Approve it at ${set.review_url}\nThen apply it: svc changes apply ${named(set)}`,
  approved: (set) => `Apply it: svc changes apply ${named(set)}`,
  stale: () => "What it builds on has moved on: propose it anew.",
};

function shown(set: Told, screen: Screen): string {
  const lines = (set.changes as Told[]).map((change) => {
    const about = change.about ? ` ${change.about}` : "";
    const names = [...new Set([...Object.keys(change.before ?? {}), ...Object.keys(change.after ?? {})])];
    const of = (row: Told | undefined, name: string) =>
      row?.[name] === undefined ? "–" : typeof row[name] === "string" ? row[name] : JSON.stringify(row[name]);
    const parts = names.map(
      (name) => `    ${name}: ${safeLine(of(change.before, name))} → ${safeLine(of(change.after, name))}`,
    );
    const refusal = change.refusal ? [screen.colour("red", `    refused: ${safeLine(change.refusal)}`)] : [];
    return [`  ${change.action}${safeLine(about)}`, ...parts, ...refusal].join("\n");
  });
  return [
    fields(
      [
        ["ChangeSet", named(set)],
        ["State", set.state],
        ["Review", set.review_url],
        ["Command", set.command],
      ],
      screen,
    ),
    ...lines,
    ...(NEXT[set.state] ? [NEXT[set.state]?.(set) as string] : []),
  ].join("\n");
}

const resultOf = ({ content_trust: _, more: __, ...set }: Told): Result => ({
  data: set,
  text: (screen) => shown(set, screen),
  ...(set.state === "draft" && { exit: EXIT.conflict }),
});

/** Proposes changes, and opens the page where they are approved. */
export async function proposed(session: Session, input: Input, changes: object): Promise<Result> {
  const set = await toolsOf(session)("propose_changes", { ...changes });
  if (set.state === "proposed" && input.screen.interactive) await openBrowser(set.review_url, input);
  return resultOf(set);
}

function idOf(input: Input) {
  const [, id, version = "1"] = /^([0-9a-fA-F-]{36})(?:@([1-9]\d*))?$/.exec(input.needed("id")) ?? [];
  if (!id) throw usage(`${input.needed("id")} is no ChangeSet.`, "Write its id, or id@2 for its second version");
  return { id, version: Number(version) };
}

export const show: Run = async (input) => resultOf(await toolsOf(openSession(input))("get_change_set", idOf(input)));

export const apply: Run = async (input) => {
  const use = toolsOf(openSession(input));
  const { id, version, digest, state, review_url } = await use("get_change_set", idOf(input));
  if (state === "proposed") throw new Failure(EXIT.conflict, "It is not approved yet.", `Approve it at ${review_url}`);
  return resultOf(await use("apply_change_set", { id, version, digest }));
};

const receiptResult = (receipt: Told): Result => ({
  data: receipt,
  text: (screen) =>
    [
      fields(
        [
          ["Command", receipt.command],
          ["State", receipt.state],
          ["Operation", receipt.operation],
          ["When", receipt.occurred_at],
          ["Can be undone", receipt.can_undo ? "yes" : `no: ${receipt.because ?? "it is not possible"}`],
        ],
        screen,
      ),
      ...((receipt.effects ?? []) as Told[]).map(({ action, code }) => safe(`  ${action}${code ? ` ${code}` : ""}`)),
    ].join("\n"),
});

export const receipt: Run = async (input) =>
  receiptResult(await toolsOf(openSession(input))("get_receipt", { id: input.needed("id") }));

export const undo: Run = async (input) => {
  const undone = receiptResult(await toolsOf(openSession(input))("undo", { command: input.needed("command") }));
  return { ...undone, next: `Do it again: svc undo ${undone.data.command}` };
};
