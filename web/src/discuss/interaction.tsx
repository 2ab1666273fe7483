// Interaction that an answer waits for: the review of a ChangeSet exactly as it would be applied, or a choice. A
// decision is sent at once for the displayed version and never queued, because a queued one could apply to something
// else.
import { newKey, type Problem } from "@svc/client";
import { useEffect, useRef, useState } from "react";
import { say, t, why } from "../messages/t.ts";
import { ChangeCard } from "../review/change.tsx";
import { Evidence } from "../review/evidence.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useConnection, useReplica } from "../store/react.ts";
import type { DiscussMessage } from "../store/rows.ts";
import { Button, Skeleton } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Icon } from "../ui/icons.tsx";
import type { PartOf } from "./answer-parts.tsx";

type Interaction = PartOf<"interaction">;
type Decision =
  | { decision: "choose"; choice_id: string }
  | {
      decision: "approve" | "reject";
      change_set_review?: { change_set_id: string; version: number; digest: string };
    };

/** Sends a decision. Repeated presses of the same decision reuse its idempotency key. */
function useDecide(part: Interaction, messageId: string) {
  const { api, member, take } = useReplica();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  const keys = useRef(new Map<string, string>());
  async function decide(body: Decision) {
    if (busy) return;
    setBusy(true);
    setFailed(null);
    const name = JSON.stringify(body);
    const key = keys.current.get(name) ?? newKey();
    keys.current.set(name, key);
    const { workspaceId: workspace_id } = member;
    try {
      const { message, assistant_message } = await api.decideDiscussInteraction(
        { workspace_id, interaction_id: part.interaction_id, version: part.version, ...body },
        { key },
      );
      take({ discuss_message: [message, assistant_message].filter((each) => each !== null) as DiscussMessage[] });
    } catch (error) {
      const { code, status } = error as Problem;
      setFailed(status === 0 ? "unreachable" : code);
      // Refreshes the message: the interaction may have changed meanwhile.
      await api.getDiscussMessage({ workspace_id, message_id: messageId }).then(
        (message) => take({ discuss_message: [message as unknown as DiscussMessage] }),
        () => {},
      );
    }
    setBusy(false);
  }
  return { busy, failed, decide };
}

/** True after the expiry time. Schedules a render for that moment. */
function useIsOver(until: string) {
  const isOver = new Date(until) <= new Date();
  const [, drawAgain] = useState(0);
  useEffect(() => {
    if (isOver) return;
    const timer = setTimeout(() => drawAgain(Date.now()), Date.parse(until) - Date.now());
    return () => clearTimeout(timer);
  }, [until, isOver]);
  return isOver;
}

export function InteractionCard({ part, messageId }: { part: Interaction; messageId: string }) {
  const home = useHome();
  const { busy, failed, decide } = useDecide(part, messageId);
  const isOver = useIsOver(part.expires_at);
  const isOpen = part.state === "open" && !isOver;
  const isApproval = part.interaction_kind === "approval";
  return (
    <article
      aria-label={part.question}
      data-interaction={part.interaction_kind}
      data-state={isOpen ? "open" : part.state}
      className="space-y-2 rounded-lg border border-line bg-card p-3"
    >
      <p className="flex items-start gap-2 font-medium">
        <Icon name={isApproval ? "review" : "comment"} className="mt-0.5 size-4 text-accent" />
        <span className="min-w-0 flex-1 break-words">{part.question}</span>
      </p>
      {isApproval && part.change_set && (
        <Approval set={part.change_set} isOpen={isOpen} busy={busy} decide={(body) => void decide(body)} />
      )}
      {!isApproval && isOpen && (
        <div className="flex flex-wrap gap-2">
          {part.choices.map(({ id, label }) => (
            <Button
              key={id}
              disabled={busy}
              onClick={() => void decide({ decision: "choose", choice_id: id })}
              className="h-auto min-h-8 max-w-full py-1 text-left whitespace-normal"
            >
              {label}
            </Button>
          ))}
        </div>
      )}
      {failed && !isOver && (
        <p role="alert" data-code={failed} className="text-bad">
          {t("talk.notDecided", { why: why(failed) })}
        </p>
      )}
      {isOpen ? (
        <p className="text-12 text-soft">
          {t("talk.openUntil", { when: momentText(part.expires_at, home?.locale, home?.timezone) })}
        </p>
      ) : (
        <p className="text-12 text-soft">{t(`talk.state.${part.state === "open" ? "expired" : part.state}`)}</p>
      )}
    </article>
  );
}

interface ApprovalProps {
  set: NonNullable<Interaction["change_set"]>;
  isOpen: boolean;
  busy: boolean;
  decide: (body: Decision) => void;
}
function Approval({ set: { id, version }, isOpen, busy, decide }: ApprovalProps) {
  const { member } = useReplica();
  const connection = useConnection();
  const workspace_id = member.workspaceId;
  const { value: set, failed } = useReading(
    `change-set:${id}:${version}`,
    (api) => api.getChangeSet({ workspace_id, id, version }),
    { on: /^change_set/ },
  );
  if (!set) return failed ? <p className="text-soft">{why(failed)}</p> : <Skeleton rows={2} />;
  // The digest ties the decision to the displayed version.
  const review = { change_set_id: id, version, digest: set.digest };
  const canApprove = set.state === "proposed" || set.state === "approved";
  return (
    <div className="space-y-2">
      {set.reason && <p className="break-words whitespace-pre-wrap">{set.reason}</p>}
      <ol className="space-y-2">
        {set.changes.map((change, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a version never changes, and its changes are known by their place.
          <li key={at}>
            <ChangeCard change={change} place={at + 1} names={set.names} />
          </li>
        ))}
      </ol>
      {set.evidence.length > 0 && <Evidence workspaceId={workspace_id} pins={set.evidence} />}
      {isOpen && set.state === "stale" && <p className="text-bad">{say("Things have moved on")}</p>}
      {isOpen && (
        <div className="grid grid-cols-2 gap-2">
          <Button
            disabled={busy || connection === "session"}
            onClick={() => decide({ decision: "reject", change_set_review: review })}
          >
            {say("Reject")}
          </Button>
          <Button
            look="first"
            disabled={busy || !canApprove}
            onClick={() => decide({ decision: "approve", change_set_review: review })}
          >
            {say("Approve")}
          </Button>
        </div>
      )}
    </div>
  );
}
