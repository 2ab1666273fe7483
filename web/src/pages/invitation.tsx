// An invitation that was opened from its mail. It belongs to the address that it was sent to, so whoever opens it signs in or registers with
// that address, and then accepts it. The token leaves the address bar and waits in this tab.
import { useState } from "react";
import { call, Problem } from "../api.ts";
import { Form } from "../form.tsx";
import { Alert, Button, Loading, Notice, Page } from "../parts.tsx";
import { withReturnTo } from "../return-to.ts";
import { dropFragment, Link, takeFragment } from "../router.tsx";
import { type Account, useSession } from "../session.tsx";
import type { Workspace } from "./workspace-new.tsx";

const TITLE = "You are invited";
const LEAD = "An invitation is for one address only: the one that its mail was sent to.";
const SIGN_IN = withReturnTo("/login", "/invitation");

export function Invitation() {
  const [{ token }] = useState(takeFragment);
  const { session, refresh } = useSession();
  const [joined, setJoined] = useState<Workspace | null>(null);
  if (joined) return <Welcome workspace={joined} />;
  if (!token)
    return (
      <Page title={TITLE}>
        <Alert problem={new Problem("invalid_invitation")} />
        <Link to="/" className="button button-plain">
          Go on without it
        </Link>
      </Page>
    );
  if (session.state === "in") return <Accept account={session.account} token={token} joined={setJoined} />;
  if (session.state === "out") return <Enter />;
  return (
    <Page title={TITLE}>
      {session.state === "failed" ? (
        <>
          <Alert problem={session.problem} />
          <Button onClick={refresh}>Try again</Button>
        </>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Enter() {
  return (
    <Page title={TITLE} lead={LEAD}>
      <div className="space-y-3">
        <Link to={SIGN_IN} className="button button-first">
          Sign in
        </Link>
        <Link to={withReturnTo("/register", "/invitation")} className="button button-plain">
          Create an account
        </Link>
      </div>
    </Page>
  );
}

interface AcceptProps {
  account: Account;
  token: string;
  joined: (workspace: Workspace) => void;
}

function Accept({ account, token, joined }: AcceptProps) {
  const { refresh } = useSession();
  // The same at every attempt: where only the answer was lost, the next one gets it.
  const [key] = useState(() => crypto.randomUUID());
  async function send() {
    const workspace = await accepted(token, key);
    await call("PUT", "/auth/session/workspace", { workspace_id: workspace.id });
    dropFragment();
    joined(workspace);
    await refresh();
  }
  return (
    <Page title={TITLE} lead={LEAD}>
      <Form
        action="Accept the invitation"
        working="Accepting …"
        label={TITLE}
        send={send}
        more={
          <Link to={SIGN_IN} className="button button-plain">
            Sign in with another address
          </Link>
        }
      >
        <p>
          You are signed in as <strong className="break-words">{account.email}</strong>.
        </p>
      </Form>
    </Page>
  );
}

/** That there is no such invitation is said in words of its own. */
async function accepted(token: string, key: string): Promise<Workspace> {
  try {
    return await call<Workspace>("POST", "/invitations/accept", { token }, key);
  } catch (error) {
    throw (error as Problem).code === "not_found" ? new Problem("invalid_invitation") : error;
  }
}

const ROLES: Record<string, string> = { owner: "an owner", admin: "an admin", member: "a member", viewer: "a viewer" };

function Welcome({ workspace: { name, role } }: { workspace: Workspace }) {
  return (
    <Page title={`Welcome to ${name}`}>
      <div role="status">
        <Notice tone="good">
          You belong to <strong className="break-words">{name}</strong> now, as {ROLES[role] ?? role}.
        </Notice>
      </div>
      <Link to="/" className="button button-first mt-6">
        Go on
      </Link>
    </Page>
  );
}
