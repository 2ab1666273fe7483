// Opens an invitation from its mail and first shows who invites whom to what. The invitation belongs to the invited
// address, so the visitor signs in or registers with that address, then accepts. The token leaves the address bar and
// waits in this tab.

import { Problem } from "@svc/client";
import { type ReactNode, useState } from "react";
import { say } from "../../messages/t.ts";
import { Link } from "../../router.tsx";
import { Form } from "../form.tsx";
import { Alert, Button, Loading, Notice, Page } from "../page-elements.tsx";
import { type Account, signOut, useSession } from "../session.tsx";
import { dropFragment, takeFragment } from "../sign-in/fragment.ts";
import { asInvitationProblem, type Offer, OfferText, ROLES, useOffer } from "../sign-in/invitation-offer.tsx";
import { withReturnTo } from "../sign-in/return-to.ts";
import { svc } from "../svc.ts";
import type { Workspace } from "./workspace-new.tsx";

const TITLE = "You are invited";

export function Invitation() {
  const [{ token }] = useState(takeFragment);
  const { session, refresh } = useSession();
  const { offer, again } = useOffer(token);
  const [joined, setJoined] = useState<Workspace | null>(null);
  if (joined) return <Welcome workspace={joined} />;
  if (!token) return <Failed problem={new Problem({ code: "invalid_invitation" })} />;
  if (offer instanceof Problem) return <Failed problem={offer} again={again} />;
  if (session.state === "failed") return <Failed problem={session.problem} again={refresh} />;
  if (offer === null || session.state === "unknown")
    return (
      <Page title={say(TITLE)}>
        <Loading />
      </Page>
    );
  if (session.state === "out") return <Enter offer={offer} />;
  const { account } = session;
  if (account.email !== offer.email) return <OtherAddress account={account} offer={offer} />;
  return <Accept account={account} offer={offer} token={token} joined={setJoined} />;
}

/** Offers a retry unless the invitation itself is invalid or expired. */
function Failed({ problem, again }: { problem: Problem; again?: () => void }) {
  const over = problem.code === "invalid_invitation" || problem.code === "invitation_expired";
  return (
    <Page title={over ? say("Invitation") : say(TITLE)}>
      <Alert problem={problem} />
      {over || !again ? (
        <Link to="/" className="button button-plain">
          {say("Go on without it")}
        </Link>
      ) : (
        <Button onClick={again}>{say("Try again")}</Button>
      )}
    </Page>
  );
}

function Offered({ offer, children }: { offer: Offer; children: ReactNode }) {
  return (
    <Page title={say(TITLE)}>
      <OfferText offer={offer} />
      <div className="mt-6">{children}</div>
    </Page>
  );
}

function Enter({ offer }: { offer: Offer }) {
  return (
    <Offered offer={offer}>
      <div className="space-y-3">
        <Link to={withReturnTo("/login", "/invitation")} className="button button-first">
          {say("Sign in")}
        </Link>
        <Link to={withReturnTo("/register", "/invitation")} className="button button-plain">
          {say("Create an account")}
        </Link>
      </div>
    </Offered>
  );
}

/** Warns before the click, because the service would reject the acceptance. */
function OtherAddress({ account, offer }: { account: Account; offer: Offer }) {
  const { set } = useSession();
  async function leave() {
    await signOut();
    set({ state: "out" });
  }
  return (
    <Offered offer={offer}>
      <Form
        action={say("Sign out and go on")}
        working={say("Signing out …")}
        label={say(TITLE)}
        send={leave}
        more={
          <Link to="/" className="button button-plain">
            {say("Stay signed in")}
          </Link>
        }
      >
        <Notice title={say("You are signed in with another address")}>
          {say("You are signed in as")} <strong className="break-words">{account.email}</strong>
          {say(". To accept, sign out, then sign in or create an account with")}{" "}
          <strong className="break-words">{offer.email}</strong>.
        </Notice>
      </Form>
    </Offered>
  );
}

interface AcceptProps {
  account: Account;
  offer: Offer;
  token: string;
  joined: (workspace: Workspace) => void;
}

function Accept({ account, offer, token, joined }: AcceptProps) {
  const { refresh } = useSession();
  // All attempts reuse one idempotency key: if only the response was lost, the retry receives it.
  const [key] = useState(() => crypto.randomUUID());
  async function send() {
    const workspace = await accepted(token, key).catch(async (problem) => {
      // The account's address differs from the one that this page knew; the refreshed session has the current one.
      if (problem.code === "invitation_recipient_mismatch") await refresh();
      throw problem;
    });
    await svc.replaceSessionWorkspace({ workspace_id: workspace.id });
    dropFragment();
    joined(workspace);
    await refresh();
  }
  return (
    <Offered offer={offer}>
      <Form action={say("Accept the invitation")} working={say("Accepting …")} label={say(TITLE)} send={send}>
        <p>
          {say("You are signed in as")} <strong className="break-words">{account.email}</strong>.
        </p>
      </Form>
    </Offered>
  );
}

async function accepted(token: string, key: string): Promise<Workspace> {
  try {
    return await svc.acceptInvitation({ token }, { key });
  } catch (error) {
    throw asInvitationProblem(error);
  }
}

function Welcome({ workspace: { name, role } }: { workspace: Workspace }) {
  return (
    <Page title={say("Welcome to {name}", { name })}>
      <div role="status">
        <Notice tone="good">
          {say("You belong to")} <strong className="break-words">{name}</strong> {say("now, as")}{" "}
          {say(ROLES[role] ?? role)}.
        </Notice>
      </div>
      <Link to="/" className="button button-first mt-6">
        {say("Go on")}
      </Link>
    </Page>
  );
}
