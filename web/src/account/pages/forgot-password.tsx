// Requests a password-reset link. The response is the same whether or not the address has an account, and says so.

import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Link, useAddress } from "../../router.tsx";
import { emailFault, Field, Form } from "../form.tsx";
import { Button, Notice, Page } from "../page-elements.tsx";
import { returnToOf } from "../sign-in/finish-sign-in.ts";
import { OutboxHint } from "../sign-in/outbox-hint.tsx";
import { withReturnTo } from "../sign-in/return-to.ts";
import { svc } from "../svc.ts";

export function Forgot() {
  const returnTo = returnToOf(useAddress());
  const [sent, setSent] = useState<string | null>(null);
  const back = (
    <p className="mt-6 text-center">
      <Link to={withReturnTo("/login", returnTo)}>{say("Back to sign in")}</Link>
    </p>
  );
  if (sent)
    return (
      <Page title={say("Look into your mail")}>
        <div role="status">
          <Notice tone="good">
            {say("If")} <strong className="break-words">{sent}</strong>{" "}
            {say("has an account here, a mail is on its way. Its link works for four hours.")}
          </Notice>
        </div>
        <p className="mt-4 text-soft">
          {say(
            "Nothing after a few minutes? Look into the spam folder. If your address was never verified, the mail asks you to verify it first: open it, then come back here.",
          )}
        </p>
        <OutboxHint />
        <Button className="mt-6" onClick={() => setSent(null)}>
          {say("Use another address")}
        </Button>
        {back}
      </Page>
    );
  return (
    <Page title={say("Forgot your password?")} lead={say("We send you a link with which you can set a new one.")}>
      <Form
        action={say("Send the link")}
        working={say("Sending …")}
        label={say("Forgot password")}
        check={({ email }) => ({ email: emailFault(email) })}
        send={async ({ email = "" }) => {
          await svc.requestPasswordReset({ email: email.trim() });
          setSent(email.trim());
        }}
      >
        <Field
          name="email"
          label={say("Email")}
          type="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Form>
      {back}
    </Page>
  );
}
