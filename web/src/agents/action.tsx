// One thing that a run wants to do: exactly what would be written, decided here by whoever started the run, and taken back while that is possible.
import "../messages/later/talk.ts";
import type { Operations } from "@svc/client";
import { t } from "../messages/t.ts";
import { Receipt } from "../review/receipt.tsx";
import { useAct } from "../settings/parts.tsx";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/parts.tsx";
import { type Run, toolText } from "./words.ts";

type Action = Awaited<ReturnType<Operations["listAgentRunActions"]>>["items"][number];

export function ActionCard({ run, action, done }: { run: Run; action: Action; done: () => Promise<void> }) {
  const { api, member } = useReplica();
  const { act, busy, said } = useAct();
  const { approval } = action;
  /** On exactly what is shown: its digest goes back. */
  const decide = (decision: "approve" | "reject") =>
    approval &&
    void act(() =>
      api.decideAgentApproval({
        ...{ workspace_id: member.workspaceId, agent_id: run.agent_id, run_id: run.id, action_id: action.id },
        ...{ approval_id: approval.id, digest: approval.digest, decision },
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

/** Without the two lines that name both sides. */
const linesOf = (diff: string) => diff.trimEnd().split("\n").slice(2);
const lookOf = (line: string) => (line.startsWith("+") ? "text-good" : line.startsWith("-") ? "text-bad" : "text-soft");
/** What would be written, as it is; of a Document that is there, line by line how it would differ. */
function Preview({ action: { kind, preview } }: { action: Action }) {
  if (!preview) return null;
  if (kind !== "patch_document") return <p className="mt-1 break-words whitespace-pre-wrap">{preview}</p>;
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
