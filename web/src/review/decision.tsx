// ChangeSet with its decision form, inside any frame. The decision sends the digest of the displayed version: if the
// proposal changes meanwhile, the service rejects the decision.

import type { Operations, Problem } from "@svc/client";
import { type ComponentType, type ReactNode, useCallback, useEffect, useState } from "react";
import { Alert, Button, Loading, Notice, Section } from "../account/page-elements.tsx";
import { svc } from "../account/svc.ts";
import { say } from "../messages/t.ts";
import { momentText } from "../ui/formats/dates.ts";
import { Done } from "./applied-change-set.tsx";
import { ChangeCard } from "./change.tsx";
import { Evidence } from "./evidence.tsx";

/** Frame around the ChangeSet: the account page or a page of the application. */
export type Frame = ComponentType<{ title: string; lead?: ReactNode; wide?: boolean; children?: ReactNode }>;
export const TITLE = "Review";

type ChangeSet = Awaited<ReturnType<Operations["getChangeSet"]>>;

const standing: Record<ChangeSet["state"], { tone: "bad" | "good" | "note"; title: string; text: string }> = {
  draft: {
    tone: "bad",
    title: "It cannot be approved",
    text: "A change below would be refused. Ask for a new version.",
  },
  proposed: {
    tone: "note",
    title: "It waits for you",
    text: "Nothing has happened yet. It happens only if you approve.",
  },
  approved: {
    tone: "good",
    title: "You have approved it",
    text: "It has not happened yet: apply it, or take it back.",
  },
  rejected: { tone: "note", title: "You have rejected it", text: "Nothing has happened, and nothing will." },
  applied: { tone: "good", title: "It is done", text: "All of it happened at once." },
  stale: { tone: "bad", title: "Things have moved on", text: "Ask for a new version. Nothing has happened." },
  expired: { tone: "note", title: "It has expired", text: "Nothing has happened. Ask for a new version." },
};

interface Props {
  workspaceId: string;
  id: string;
  version: string;
  frame: Frame;
}
export function Decision({ workspaceId, id, version, frame: Page }: Props) {
  const [set, setSet] = useState<ChangeSet | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  // All attempts reuse one idempotency key, so the decision happens once.
  const [key] = useState(() => `review-${crypto.randomUUID()}`);
  const read = useCallback(
    () => svc.getChangeSet({ workspace_id: workspaceId, id, version: Number(version) }).then(setSet, setProblem),
    [workspaceId, id, version],
  );
  useEffect(() => void read(), [read]);
  if (!set) return <Page title={say(TITLE)}>{problem ? <Alert problem={problem} /> : <Loading lines={12} />}</Page>;

  async function act(name: string, work: () => Promise<ChangeSet>) {
    if (busy) return;
    setBusy(name);
    setProblem(null);
    try {
      setSet(await work());
    } catch (error) {
      setProblem(error as Problem);
      await read();
    }
    setBusy(null);
  }
  const { digest } = set;
  const decide = (decision: "approve" | "reject") =>
    act(decision, () =>
      svc.reviewChangeSet({ workspace_id: workspaceId, id, version: Number(version), digest, decision }),
    );
  const apply = () =>
    act("apply", () =>
      svc.applyChangeSet({ workspace_id: workspaceId, change_set_id: id, version: Number(version), digest }, { key }),
    );
  const { tone, title, text } = standing[set.state];
  const open = set.state === "proposed" || set.state === "approved";
  return (
    <Page title={set.title} lead={say("Proposed in your name.")} wide>
      {open && (
        <p className="mb-4">
          <a className="link" href="#decision">
            {say("To the decision")}
          </a>
        </p>
      )}
      <div role="status">
        <Notice tone={tone} title={say(title)}>
          {say(text)}
          {set.moved.length > 0 &&
            say(" Changed since: no. {numbers}.", { numbers: set.moved.map(({ change }) => change + 1).join(", ") })}
          {set.latest_version > set.version && say(" There is a newer version.")}
        </Notice>
      </div>
      {set.reason && <p className="mt-4 whitespace-pre-wrap break-words">{set.reason}</p>}
      <div className="mt-6">
        <Section
          title={set.changes.length === 1 ? say("One change") : say("{count} changes", { count: set.changes.length })}
        >
          <ol className="space-y-3">
            {set.changes.map((change, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a version never changes, and its changes are known by their place.
              <li key={at}>
                <ChangeCard change={change} place={at + 1} names={set.names} />
              </li>
            ))}
          </ol>
        </Section>
        {set.evidence.length > 0 && (
          <Section title={say("Evidence")}>
            <Evidence workspaceId={workspaceId} pins={set.evidence} />
          </Section>
        )}
        <Section title={say("Your decision")}>
          <div id="decision" tabIndex={-1}>
            {problem && <Alert problem={problem} />}
            {set.receipt_id ? (
              <Done workspaceId={workspaceId} commandId={set.receipt_id} />
            ) : (
              !open && <p className="text-soft">{say("There is nothing to decide.")}</p>
            )}
            {set.state === "proposed" && (
              <div className="grid grid-cols-2 gap-3">
                <Button busy={busy === "reject"} onClick={() => decide("reject")}>
                  {say("Reject")}
                </Button>
                <Button busy={busy === "approve"} onClick={() => decide("approve")}>
                  {say("Approve")}
                </Button>
              </div>
            )}
            {set.state === "approved" && (
              <div className="grid grid-cols-2 gap-3">
                <Button busy={busy === "reject"} onClick={() => decide("reject")}>
                  {say("Take it back")}
                </Button>
                <Button first busy={busy === "apply"} onClick={apply}>
                  {say("Apply all of it")}
                </Button>
              </div>
            )}
            <p className="mt-4 text-sm wrap-anywhere text-soft">
              {say("Version {version}, digest {digest}. Open until {when}.", {
                version: set.version,
                digest,
                when: momentText(set.expires_at, document.documentElement.lang),
              })}
            </p>
          </div>
        </Section>
      </div>
    </Page>
  );
}
