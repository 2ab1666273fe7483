// An invitation that was opened from its mail. It belongs to the address that it was sent to, so whoever opens it signs in or registers with
// that address. The token leaves the address bar and waits in this tab.
import { useState } from "react";
import { Loading, Notice, Page } from "../parts.tsx";
import { withReturnTo } from "../return-to.ts";
import { Link, takeFragment } from "../router.tsx";
import { useSession } from "../session.tsx";

export function Invitation() {
  useState(takeFragment);
  const { session } = useSession();
  if (session.state === "unknown")
    return (
      <Page title="You are invited">
        <Loading />
      </Page>
    );
  return (
    <Page title="You are invited" lead="An invitation is for one address only: the one that its mail was sent to.">
      {session.state === "in" ? (
        <>
          <Notice>
            You are signed in as <strong className="break-words">{session.account.email}</strong>. If the invitation was
            sent to another address, sign in with that one.
          </Notice>
          <div className="mt-6 space-y-3">
            <Link to="/" className="button button-first">
              Go on as {session.account.display_name}
            </Link>
            <Link to={withReturnTo("/login", "/invitation")} className="button button-plain">
              Sign in with another address
            </Link>
          </div>
        </>
      ) : (
        <div className="space-y-3">
          <Link to={withReturnTo("/login", "/invitation")} className="button button-first">
            Sign in
          </Link>
          <Link to={withReturnTo("/register", "/invitation")} className="button button-plain">
            Create an account
          </Link>
        </div>
      )}
    </Page>
  );
}
