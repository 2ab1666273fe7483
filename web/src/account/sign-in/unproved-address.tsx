// Notice about an unverified or unproved email address, with a button that sends the mail again.

import { Problem } from "@svc/client";
import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Alert, Button, Notice } from "../page-elements.tsx";
import type { Account } from "../session.tsx";
import { svc } from "../svc.ts";
import { OutboxHint } from "./outbox-hint.tsx";

export function Unproved({ account: { email, email_verified } }: { account: Account }) {
  const [state, setState] = useState<"ask" | "busy" | "sent" | Problem>("ask");
  async function resend() {
    if (state === "busy") return;
    setState("busy");
    await svc.resendEmailVerification({ email }).then(() => setState("sent"), setState);
  }
  return (
    <div className="mt-3">
      {state instanceof Problem && <Alert problem={state} />}
      <Notice
        title={email_verified ? say("Your address is not confirmed yet") : say("Your address is not verified yet")}
      >
        {state === "sent" ? (
          <p role="status">{say("A new mail is on its way. Open its link.")}</p>
        ) : (
          <>
            <p>
              {email_verified
                ? say(
                    "You joined without a mail from us. Confirm the address with a link: until then it is shown to nobody, and whoever signs in with it at a provider gets this account.",
                  )
                : say("Open the link that we sent you. Until then we could not help you with a forgotten password.")}
            </p>
            <Button small className="mt-3" busy={state === "busy"} onClick={resend}>
              {email_verified ? say("Send me a link") : say("Send it again")}
            </Button>
          </>
        )}
        <OutboxHint />
      </Notice>
    </div>
  );
}
