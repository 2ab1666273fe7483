// Second step of a sign-in: authenticator code or recovery code. The challenge comes from the first step in this tab,
// or from the fragment of a redirect.

import { Problem } from "@svc/client";
import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Link } from "../../router.tsx";
import { Field, Form, type FormValues } from "../form.tsx";
import { Alert, Button, Page } from "../page-elements.tsx";
import { useSession } from "../session.tsx";
import { challenge, enter } from "../sign-in/finish-sign-in.ts";
import { dropFragment, takeFragment } from "../sign-in/fragment.ts";
import { localPath, withReturnTo } from "../sign-in/return-to.ts";
import { svc } from "../svc.ts";

function asked() {
  const { mfa_token, token, expires_at, remember_me, return_to } = takeFragment();
  const sent = mfa_token ?? token;
  if (!sent) return challenge.read();
  dropFragment();
  challenge.keep({
    mfa_token: sent,
    expires_at: expires_at ?? null,
    remember_me: remember_me !== "false",
    return_to: localPath(return_to),
  });
  return challenge.read();
}

export function SecondFactor() {
  const { set } = useSession();
  const [step] = useState(asked);
  const [recovery, setRecovery] = useState(false);
  if (!step)
    return (
      <Page title={say("Second step")}>
        <Alert problem={new Problem({ code: "invalid_challenge" })} />
      </Page>
    );

  async function send({ code = "" }: FormValues) {
    if (!step) return;
    const body = { mfa_token: step.mfa_token, code: code.replace(/\s/g, ""), remember_me: step.remember_me };
    try {
      const account = await svc.verifySecondFactor(body);
      enter(account, { returnTo: step.return_to, remember: step.remember_me, set });
    } catch (error) {
      if ((error as Problem).code === "invalid_challenge") challenge.drop();
      throw error;
    }
  }

  const until = step.expires_at && new Date(step.expires_at);
  return (
    <Page
      title={say("Second step")}
      lead={
        recovery
          ? say("Enter one of the recovery codes that you kept. Each works once.")
          : say("Enter the six digits that your authenticator shows for svc.")
      }
    >
      <Form
        action={say("Confirm")}
        working={say("Checking …")}
        label={say("Second step")}
        check={({ code }) => ({ code: code?.trim() ? null : say("Enter the code.") })}
        send={send}
        more={
          <Button onClick={() => setRecovery(!recovery)}>
            {recovery ? say("Use the authenticator instead") : say("Use a recovery code instead")}
          </Button>
        }
      >
        <Field
          key={String(recovery)}
          name="code"
          label={recovery ? say("Recovery code") : say("Code")}
          type="text"
          inputMode={recovery ? "text" : "numeric"}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          autoFocus
          className="font-mono text-lg tracking-widest"
          hint={
            until && !Number.isNaN(until.getTime())
              ? say("This step is open until {time}.", {
                  time: until.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }),
                })
              : undefined
          }
        />
      </Form>
      <p className="mt-6 text-center">
        <Link to={withReturnTo("/login", step.return_to)}>{say("Back to sign in")}</Link>
      </p>
    </Page>
  );
}
