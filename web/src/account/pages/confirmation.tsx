// Target of the provider's redirect after a proof of identity in a popup window. Reports the result to the waiting page
// and closes the window.

import { Problem } from "@svc/client";
import { useEffect } from "react";
import { say } from "../../messages/t.ts";
import { Link, useAddress } from "../../router.tsx";
import { Alert, Page } from "../page-elements.tsx";

/** Channel between the windows of this origin; its messages are "confirmed" and "failed". */
export const confirmations = () => new BroadcastChannel("svc-confirmations");

export function Confirmed() {
  const failed = useAddress().searchParams.has("error");
  useEffect(() => {
    const channel = confirmations();
    channel.postMessage(failed ? "failed" : "confirmed");
    channel.close();
    if (!failed) window.close();
  }, [failed]);
  if (failed)
    return (
      <Page title={say("We could not confirm that it is you")}>
        <Alert problem={new Problem({ code: "authentication_failed" })} />
        <p>{say("Close this window to try again where you were.")}</p>
      </Page>
    );
  return (
    <Page
      title={say("Thank you")}
      lead={say("You have confirmed that it is you. Close this window and go on where you were.")}
    >
      <Link to="/security">{say("Account security")}</Link>
    </Page>
  );
}
