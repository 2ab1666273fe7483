// Changes the password and signs out all other devices.

import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Link } from "../../router.tsx";
import { Check, Form, PasswordField } from "../form.tsx";
import { Button, Notice, Section } from "../page-elements.tsx";
import type { Account } from "../session.tsx";
import { NewPasswordField } from "../sign-in/new-password.tsx";
import { passwordFault } from "../sign-in/password-rules.ts";
import { svc } from "../svc.ts";

export function PasswordSection({ account }: { account: Account }) {
  const [state, setState] = useState<"rest" | "change" | "done">("rest");
  return (
    <Section title={say("Password")}>
      {!account.has_password && (
        <p className="text-soft">
          {say("Your account has no password.")} <Link to="/forgot">{say("Set one with a link by mail")}</Link>.
        </p>
      )}
      {state === "done" && (
        <div role="status" className="mb-4">
          <Notice tone="good">{say("Your password is changed. Your other devices were signed out.")}</Notice>
        </div>
      )}
      {account.has_password && state !== "change" && (
        <Button small onClick={() => setState("change")}>
          {say("Change password")}
        </Button>
      )}
      {state === "change" && (
        <Form
          action={say("Change password")}
          working={say("Changing …")}
          label={say("Change password")}
          check={({ current_password, new_password = "" }) => ({
            current_password: current_password ? null : say("Enter your present password."),
            new_password: passwordFault(new_password),
          })}
          send={async ({ current_password = "", new_password = "", revoke_api_tokens }) => {
            const body = { current_password, new_password, revoke_api_tokens: revoke_api_tokens === "on" };
            await svc.changePassword(body);
            setState("done");
          }}
          more={<Button onClick={() => setState("rest")}>{say("Cancel")}</Button>}
        >
          <input
            className="sr-only"
            name="username"
            autoComplete="username"
            value={account.email}
            readOnly
            tabIndex={-1}
            aria-hidden="true"
          />
          <PasswordField name="current_password" label={say("Present password")} autoComplete="current-password" />
          <NewPasswordField name="new_password" label={say("New password")} />
          <Check name="revoke_api_tokens" label={say("Revoke my API tokens, too")} />
        </Form>
      )}
    </Section>
  );
}
