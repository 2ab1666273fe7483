// Changes the email address. The old one applies until the mailed link confirms the new one.

import { useState } from "react";
import { say } from "../../messages/t.ts";
import { emailFault, Field, Form, PasswordField } from "../form.tsx";
import { Button, Notice, Section } from "../page-elements.tsx";
import type { Account } from "../session.tsx";
import { OutboxHint } from "../sign-in/outbox-hint.tsx";
import { svc } from "../svc.ts";

export function EmailSection({ account }: { account: Account }) {
  const [state, setState] = useState<"rest" | "change" | { sentTo: string }>("rest");
  return (
    <Section title={say("Email address")}>
      <p className="mb-4 break-words text-soft">{account.email}</p>
      {typeof state === "object" && (
        <div role="status" className="mb-4">
          <Notice tone="good">
            {say("Open the link that we sent to")} <strong className="break-words">{state.sentTo}</strong>
            {say(". Until then nothing changes.")}
            <OutboxHint />
          </Notice>
        </div>
      )}
      {state === "change" ? (
        <Form
          action={say("Send the link")}
          working={say("Sending …")}
          label={say("Change email address")}
          check={({ email, current_password }) => ({
            email: emailFault(email),
            current_password: current_password || !account.has_password ? null : say("Enter your password."),
          })}
          send={async ({ email = "", current_password }) => {
            await svc.requestEmailChange({ email: email.trim(), current_password });
            setState({ sentTo: email.trim() });
          }}
          more={<Button onClick={() => setState("rest")}>{say("Cancel")}</Button>}
        >
          <Field
            name="email"
            label={say("New email")}
            type="email"
            inputMode="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
          />
          {account.has_password && (
            <PasswordField name="current_password" label={say("Your password")} autoComplete="current-password" />
          )}
        </Form>
      ) : (
        <Button small onClick={() => setState("change")}>
          {say("Change address")}
        </Button>
      )}
    </Section>
  );
}
