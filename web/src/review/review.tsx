// Landing page for links to a ChangeSet: shows the changes proposed on the reader's behalf, exactly as they would be
// applied, and asks for a decision.

import { Problem } from "@svc/client";
import { useState } from "react";
import { Alert, Button, Page } from "../account/page-elements.tsx";
import { SignedIn } from "../account/require-sign-in.tsx";
import { type Account, useSession } from "../account/session.tsx";
import { svc } from "../account/svc.ts";
import { say } from "../messages/t.ts";
import { useAddress } from "../router.tsx";
import { Decision, TITLE } from "./decision.tsx";

export default function Review() {
  return (
    <SignedIn title={say(TITLE)} wide lines={12}>
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
    return <Page title={say(TITLE)}>{<Alert problem={new Problem({ code: "invalid_link" })} />}</Page>;
  if (account.workspace_id === workspaceId)
    return <Decision workspaceId={workspaceId} id={id} version={version} frame={Page} />;
  const enter = () => svc.replaceSessionWorkspace({ workspace_id: workspaceId }).then(refresh, setProblem);
  return (
    <Page title={say(TITLE)} lead={say("This was proposed in another Workspace than the one that you are in.")}>
      {problem && <Alert problem={problem} />}
      <Button first onClick={enter}>
        {say("Switch to it")}
      </Button>
    </Page>
  );
}
