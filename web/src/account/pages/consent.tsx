// OAuth consent page for one Workspace. An application chooses its own name, so the page says that nobody has verified
// it and shows the redirect target. Denying is as easy as allowing.

import { type Operations, Problem } from "@svc/client";
import { useEffect, useState } from "react";
import { say } from "../../messages/t.ts";
import { Link, useAddress } from "../../router.tsx";
import { Alert, Button, Loading, Notice, Page } from "../page-elements.tsx";
import { SignedIn } from "../require-sign-in.tsx";
import { svc } from "../svc.ts";

type Request = Awaited<ReturnType<Operations["getConsent"]>>;
const TITLE = "Allow access?";

export function Consent() {
  return (
    <SignedIn title={say(TITLE)} lines={8}>
      {(account) => <Decide email={account.email} />}
    </SignedIn>
  );
}

function Decide({ email }: { email: string }) {
  const request = useAddress().searchParams.get("request") ?? "";
  const [asked, setAsked] = useState<Request | null>(null);
  const [problem, setProblem] = useState<Problem | null>(request ? null : new Problem({ code: "invalid_link" }));
  const [workspace, setWorkspace] = useState<string | null>(null);
  const [deciding, setDeciding] = useState<"approve" | "deny" | null>(null);
  useEffect(() => {
    if (request)
      svc.getConsent({ request }).then((found) => {
        setAsked(found);
        setWorkspace(found.workspace_id ?? found.workspaces[0]?.id ?? null);
      }, setProblem);
  }, [request]);

  async function decide(decision: "approve" | "deny") {
    if (deciding) return;
    setDeciding(decision);
    setProblem(null);
    try {
      const { redirect_to } = await svc.answerConsent({
        request,
        decision,
        ...(decision === "approve" && asked?.chooses_workspace && workspace ? { workspace_id: workspace } : {}),
      });
      location.assign(redirect_to);
    } catch (error) {
      setDeciding(null);
      setProblem(error as Problem);
    }
  }

  if (!asked) return <Page title={say(TITLE)}>{problem ? <Alert problem={problem} /> : <Loading lines={8} />}</Page>;
  const { client, family, redirect_host, scopes, workspaces, chooses_workspace } = asked;
  const choice = chooses_workspace ? workspaces : [];
  const nowhere = chooses_workspace && choice.length === 0;
  return (
    <Page
      title={say("Allow “{name}” to act for you?", { name: client.name })}
      lead={say("You are signed in as {email}.", { email })}
    >
      {problem && <Alert problem={problem} />}
      {!client.verified && (
        <Notice title={say("Nobody has verified this application")}>
          {say("It chose its name itself. Go on only if you have just started it yourself.")}
        </Notice>
      )}
      <dl className="mt-5 space-y-5">
        <div>
          <dt className="font-semibold">{say("Afterwards it sends you to")}</dt>
          <dd className="mt-1 font-mono text-sm break-all">{redirect_host}</dd>
        </div>
        <div>
          <dt className="font-semibold">{say("It may")}</dt>
          <dd>
            <ul className="mt-1 list-disc space-y-1 pl-5 marker:text-soft">
              {scopes.map(({ scope, description }) => (
                <li key={scope}>{description}</li>
              ))}
            </ul>
          </dd>
        </div>
      </dl>
      {nowhere && (
        <p className="mt-5">
          {say("You have no Workspace that it could use.")} <Link to="/workspaces/new">{say("Create one")}</Link>{" "}
          {say("and start again.")}
        </p>
      )}
      {choice.length > 0 && (
        <fieldset className="mt-5">
          <legend className="font-semibold">{say("In this Workspace only")}</legend>
          <div className="mt-2 space-y-2">
            {choice.map(({ id, name, slug }) => (
              <label
                key={id}
                className="flex min-h-11 cursor-pointer items-center gap-3 rounded-lg border border-line px-3 py-2 has-checked:border-accent has-checked:bg-note-wash"
              >
                <input
                  type="radio"
                  name="workspace"
                  value={id}
                  checked={workspace === id}
                  onChange={() => setWorkspace(id)}
                  className="size-5 shrink-0 accent-accent"
                />
                <span className="min-w-0 break-words">
                  {name} <span className="text-sm text-soft">/{slug}</span>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <div className="mt-6 grid grid-cols-2 gap-3">
        <Button busy={deciding === "deny"} onClick={() => decide("deny")}>
          {say("Deny")}
        </Button>
        {!nowhere && (
          <Button busy={deciding === "approve"} onClick={() => decide("approve")}>
            {say("Allow")}
          </Button>
        )}
      </div>
      {family !== "developer" && (
        <p className="mt-4 text-sm text-soft">{say("You can end this at any time under account security.")}</p>
      )}
    </Page>
  );
}
