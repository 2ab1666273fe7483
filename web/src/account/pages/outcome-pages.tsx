// Confirmation pages with a link to the next step.

import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Link } from "../../router.tsx";
import { Loading, Notice, Page } from "../page-elements.tsx";
import { useSession } from "../session.tsx";
import { Unproved } from "../sign-in/unproved-address.tsx";

const VERIFIED = "__Host-svc_verified";
/**
 * True if the visitor came from the verification link: the service sets a cookie, which is deleted here. The history
 * entry stores the result, so that a reload shows the same page.
 */
function cameByLink(): boolean {
  if (document.cookie.split("; ").includes(`${VERIFIED}=1`)) {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet.
    document.cookie = `${VERIFIED}=; Path=/; Secure; Max-Age=0`;
    history.replaceState({ verified: true }, "");
  }
  return history.state?.verified === true;
}

/** Reports success only if the visitor came from the verification link or the account confirms it. */
export function Verified() {
  const { session } = useSession();
  const [byLink] = useState(cameByLink);
  const account = session.state === "in" ? session.account : null;
  if (!byLink && !account?.email_proved)
    return (
      <Page
        title={say("Open the link in the mail")}
        lead={say("The link in the mail that we sent you verifies your address.")}
      >
        {account ? <Unproved account={account} /> : session.state === "unknown" ? <Loading /> : <Unknown />}
      </Page>
    );
  return (
    <Page title={say("Your address is verified")}>
      <Notice tone="good">{say("Thank you. Should you ever forget your password, we can now send you a link.")}</Notice>
      <Link to={account ? "/" : "/login"} className="button button-first mt-6">
        {account ? say("Continue") : say("Sign in")}
      </Link>
    </Page>
  );
}

function Unknown() {
  return (
    <>
      <p>{say("Look for it among your unwanted mail, too. Sign in to have the mail sent again.")}</p>
      <Link to="/login" className="button button-first mt-6">
        {say("Sign in")}
      </Link>
    </>
  );
}

export function SignedOut() {
  return (
    <Page title={say("You are signed out")} lead={say("On a shared computer, close the browser too.")}>
      <Link to="/login" className="button button-first">
        {say("Sign in again")}
      </Link>
    </Page>
  );
}
