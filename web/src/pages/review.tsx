// What an assistant or somebody else has proposed in your name, exactly as it would happen, and your decision on it. The digest that is sent back is
// that of what is shown here: if anything else is proposed meanwhile, the decision does not count for it.
import { useCallback, useEffect, useState } from "react";
import { call, Problem } from "../api.ts";
import { Alert, Button, Loading, Notice, Page, Section } from "../parts.tsx";
import { type Change, ChangeCard } from "../review/change.tsx";
import { Evidence, type Pin } from "../review/evidence.tsx";
import { useAddress } from "../router.tsx";
import { type Account, useSession } from "../session.tsx";
import { SignedIn } from "../signed-in.tsx";

interface ChangeSet {
  id: string;
  version: number;
  newest_version: number;
  digest: string;
  state: "draft" | "proposed" | "approved" | "rejected" | "applied" | "stale" | "expired";
  title: string;
  reason: string | null;
  changes: Change[];
  evidence: Pin[];
  moved: { change: number }[];
  names: Record<string, string>;
  expires_at: string;
}
const TITLE = "Review";

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
  applied: { tone: "good", title: "It is done", text: "All of it happened at once. You can undo it as a whole." },
  stale: { tone: "bad", title: "Things have moved on", text: "Ask for a new version. Nothing has happened." },
  expired: { tone: "note", title: "It has expired", text: "Nothing has happened. Ask for a new version." },
};

export default function Review() {
  return (
    <SignedIn title={TITLE} wide lines={12}>
      {(account) => <Asked account={account} />}
    </SignedIn>
  );
}

function Asked({ account }: { account: Account }) {
  const asked = useAddress().searchParams;
  const [workspaceId, id, version] = ["workspace_id", "change_set_id", "version"].map((name) => asked.get(name) ?? "");
  const { refresh } = useSession();
  const [problem, setProblem] = useState<Problem | null>(null);
  if (!workspaceId || !id || !version)
    return <Page title={TITLE}>{<Alert problem={new Problem("invalid_link")} />}</Page>;
  if (account.workspace_id === workspaceId) return <Shown workspaceId={workspaceId} id={id} version={version} />;
  const enter = () => call("PUT", "/auth/session/workspace", { workspace_id: workspaceId }).then(refresh, setProblem);
  return (
    <Page title={TITLE} lead="This was proposed in another Workspace than the one that you are in.">
      {problem && <Alert problem={problem} />}
      <Button first onClick={enter}>
        Switch to it
      </Button>
    </Page>
  );
}

function Shown({ workspaceId, id, version }: { workspaceId: string; id: string; version: string }) {
  const [set, setSet] = useState<ChangeSet | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  // The same one for every attempt: it happens once.
  const [key] = useState(() => `review-${crypto.randomUUID()}`);
  const read = useCallback(
    () =>
      call<ChangeSet>(
        "GET",
        `/workspaces/${workspaceId}/change-sets/${id}?version=${encodeURIComponent(version)}`,
      ).then(setSet, setProblem),
    [workspaceId, id, version],
  );
  useEffect(() => void read(), [read]);
  if (!set) return <Page title={TITLE}>{problem ? <Alert problem={problem} /> : <Loading lines={12} />}</Page>;

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
      call<ChangeSet>("POST", `/workspaces/${workspaceId}/change-sets/${id}/review`, {
        version: Number(version),
        digest,
        decision,
      }),
    );
  const apply = () =>
    act("apply", () =>
      call<ChangeSet>(
        "POST",
        `/workspaces/${workspaceId}/change-sets/apply`,
        { change_set_id: id, version: Number(version), digest },
        key,
      ),
    );
  const { tone, title, text } = standing[set.state];
  const open = set.state === "proposed" || set.state === "approved";
  return (
    <Page title={set.title} lead="Proposed in your name." wide>
      {open && (
        <p className="mb-4">
          <a className="link" href="#decision">
            To the decision
          </a>
        </p>
      )}
      <div role="status">
        <Notice tone={tone} title={title}>
          {text}
          {set.moved.length > 0 && ` Changed since: no. ${set.moved.map(({ change }) => change + 1).join(", ")}.`}
          {set.newest_version > set.version && " There is a newer version."}
        </Notice>
      </div>
      {set.reason && <p className="mt-4 whitespace-pre-wrap break-words">{set.reason}</p>}
      <div className="mt-6">
        <Section title={set.changes.length === 1 ? "One change" : `${set.changes.length} changes`}>
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
          <Section title="Evidence">
            <Evidence workspaceId={workspaceId} pins={set.evidence} />
          </Section>
        )}
        <Section title="Your decision">
          <div id="decision" tabIndex={-1}>
            {problem && <Alert problem={problem} />}
            {!open && <p className="text-soft">There is nothing to decide.</p>}
            {set.state === "proposed" && (
              <div className="grid grid-cols-2 gap-3">
                <Button busy={busy === "reject"} onClick={() => decide("reject")}>
                  Reject
                </Button>
                <Button busy={busy === "approve"} onClick={() => decide("approve")}>
                  Approve
                </Button>
              </div>
            )}
            {set.state === "approved" && (
              <div className="grid grid-cols-2 gap-3">
                <Button busy={busy === "reject"} onClick={() => decide("reject")}>
                  Take it back
                </Button>
                <Button first busy={busy === "apply"} onClick={apply}>
                  Apply all of it
                </Button>
              </div>
            )}
            <p className="mt-4 text-sm break-all text-soft">
              Version {set.version}, digest {digest}. Open until {new Date(set.expires_at).toLocaleString()}.
            </p>
          </div>
        </Section>
      </div>
    </Page>
  );
}
