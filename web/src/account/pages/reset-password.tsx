// Sets a new password with the mailed link. The token leaves the address bar at once and is sent in the request body.

import { Problem } from "@svc/client";
import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Link } from "../../router.tsx";
import { Form, type FormValues } from "../form.tsx";
import { Alert, Notice, Page } from "../page-elements.tsx";
import { useSession } from "../session.tsx";
import { dropFragment, takeFragment } from "../sign-in/fragment.ts";
import { NewPasswordField } from "../sign-in/new-password.tsx";
import { passwordFault } from "../sign-in/password-rules.ts";
import { svc } from "../svc.ts";

export function Reset() {
  const { refresh } = useSession();
  const [{ token }] = useState(takeFragment);
  const [done, setDone] = useState(false);
  if (done)
    return (
      <Page title={say("Your password is set")}>
        <div role="status">
          <Notice tone="good">{say("Every device was signed out. Sign in with the new password.")}</Notice>
        </div>
        <Link to="/login" className="button button-first mt-6">
          {say("Sign in")}
        </Link>
      </Page>
    );
  if (!token)
    return (
      <Page title={say("Set a new password")}>
        <Alert problem={new Problem({ code: "invalid_link" })} />
      </Page>
    );
  const send = async ({ new_password = "" }: FormValues) => {
    await svc.resetPassword({ token, new_password });
    dropFragment();
    await refresh();
    setDone(true);
  };
  return (
    <Page title={say("Set a new password")} lead={say("It replaces the old one and signs you out everywhere.")}>
      <Form
        action={say("Set password")}
        working={say("Setting your password …")}
        label={say("Set a new password")}
        check={({ new_password = "" }) => ({ new_password: passwordFault(new_password) })}
        send={send}
      >
        <NewPasswordField name="new_password" label={say("New password")} />
      </Form>
    </Page>
  );
}
