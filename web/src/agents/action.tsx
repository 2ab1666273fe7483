// Card of one action that a run wants to execute: previews exactly what it would write, lets the initiator of the run
// approve or reject it, and undoes it while the service allows that.
import "../messages/later/talk.ts";
import type { Operations } from "@svc/client";
import { t } from "../messages/t.ts";
import { Rows } from "../review/change.tsx";
import { Receipt } from "../review/receipt.tsx";
import { useAct } from "../settings/elements/form-elements.tsx";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { type Run, toolText } from "./words.ts";

type Action = Awaited<ReturnType<Operations["listAgentRunActions"]>>["items"][number];

export function ActionCard({ run, action, done }: { run: Run; action: Action; done: () => Promise<void> }) {
  const { api, member } = useReplica();
  const { act, busy, said } = useAct();
  const { approval } = action;
  /** Sends the digest of the displayed approval, so that the decision covers exactly what was displayed. */
  const decide = (decision: "approve" | "reject") =>
    approval &&
    void act(() =>
      api.decideAgentApproval({
        workspace_id: member.workspaceId,
        agent_id: run.agent_id,
        run_id: run.id,
        action_id: action.id,
        approval_id: approval.id,
        digest: approval.digest,
        decision,
      }),
    ).then(done);
  return (
    <li data-action={action.state} className="rounded-lg border border-line bg-card p-3">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{toolText(action.kind)}</span>
        <span className="text-soft">{action.target}</span>
        <span className="ml-auto text-12 text-soft">{t(`agents.action.${action.state}`)}</span>
      </p>
      <Preview action={action} />
      {action.refusal && <p className="mt-1 text-bad">{action.refusal}</p>}
      {action.receipt_id && (
        <div className="mt-2">
          <Receipt commandId={action.receipt_id} />
        </div>
      )}
      {approval?.state === "open" && (
        <div className="mt-2 flex flex-wrap items-center gap-2">
          <Button aria-disabled={busy || undefined} onClick={() => decide("reject")}>
            {t("agents.reject")}
          </Button>
          <Button look="first" aria-disabled={busy || undefined} onClick={() => decide("approve")}>
            {t("agents.approve")}
          </Button>
          {said}
        </div>
      )}
    </li>
  );
}

/** Skips the two header lines of a unified diff. */
const linesOf = (diff: string) => diff.trimEnd().split("\n").slice(2);
const lookOf = (line: string) => (line.startsWith("+") ? "text-good" : line.startsWith("-") ? "text-bad" : "text-soft");
/** Maps the argument names of a tool to the field names that a review displays. */
const fields: Record<string, string> = {
  description: "description_markdown",
  status: "status_id",
  assignee: "assignee_actor_id",
  labels: "label_ids",
  milestone: "milestone_id",
  parent: "parent_id",
  below: "parent_id",
  date: "work_date",
};
const isWritten = (name: string) => ["title", "description", "markdown", "note"].includes(name);
/** Parses null and label lists; keeps any other value as a string. */
function valueIn(name: string, text: string): unknown {
  if (text === "null" && !isWritten(name)) return null;
  return name === "labels" && /^\["[^"\\]*"(?:,"[^"\\]*")*\]$/.test(text) ? JSON.parse(text) : text;
}
/**
 * Parses a preview into fields. Continuation lines of a text are indented. Previews of older versions do not indent
 * them: if a field name repeats, the function returns the whole preview as Markdown.
 */
function fieldsOf(preview: string): Record<string, unknown> {
  const all = preview.split(/\n(?=[a-z_]+: )/).map((line) => {
    const at = line.indexOf(": ");
    const name = line.slice(0, at);
    return [fields[name] ?? name, valueIn(name, line.slice(at + 2).replaceAll("\n  ", "\n"))] as const;
  });
  return new Set(all.map(([name]) => name)).size === all.length ? Object.fromEntries(all) : { markdown: preview };
}
/** Preview of an action: a line diff for a patch to an existing Document, a list of fields for anything else. */
function Preview({ action: { kind, preview } }: { action: Action }) {
  if (!preview) return null;
  if (kind !== "patch_document") {
    const after = fieldsOf(preview);
    return <Rows fields={Object.keys(after)} change={{ before: null, after }} names={{}} />;
  }
  return (
    <pre data-diff className="mt-2 rounded-md bg-sunken p-2 font-mono text-12 break-words whitespace-pre-wrap">
      {linesOf(preview).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: it never changes, and its lines are known by their place.
        <span key={at} className={`block min-h-4 ${lookOf(line)}`}>
          {line}
        </span>
      ))}
    </pre>
  );
}
