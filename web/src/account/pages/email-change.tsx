// Confirms a new email address with the mailed link. Only the signed-in owner of the account can confirm it, so other
// visitors sign in first; the token waits in this tab.

import { Problem } from "@svc/client";
import { useState } from "react";
import { say } from "../../messages/t.ts";
import { Link } from "../../router.tsx";
import { Form } from "../form.tsx";
import { Alert, Notice, Page } from "../page-elements.tsx";
import { SignedIn } from "../require-sign-in.tsx";
import { type Account, useSession } from "../session.tsx";
import { dropFragment, takeFragment } from "../sign-in/fragment.ts";
import { svc } from "../svc.ts";

const TITLE = "Confirm your new address";

export function EmailChange() {
  const [{ token }] = useState(takeFragment);
  return <SignedIn title={say(TITLE)}>{(account) => <Confirm account={account} token={token} />}</SignedIn>;
}

function Confirm({ account, token }: { account: Account; token: string | undefined }) {
  const { refresh } = useSession();
  const [done, setDone] = useState(false);
  if (done)
    return (
      <Page title={say("Your address is changed")}>
        <div role="status">
          <Notice tone="good">
            {say("From now on you sign in with")} <strong className="break-words">{account.email}</strong>.
          </Notice>
        </div>
        <Link to="/" className="button button-first mt-6">
          {say("Continue")}
        </Link>
      </Page>
    );
  if (!token)
    return (
      <Page title={say(TITLE)}>
        <Alert problem={new Problem({ code: "invalid_link" })} />
      </Page>
    );
  return (
    <Page title={say(TITLE)}>
      <Form
        action={say("Confirm the new address")}
        working={say("Confirming …")}
        label={say(TITLE)}
        send={async () => {
          await svc.verifyEmailChange({ token });
          dropFragment();
          await refresh();
          setDone(true);
        }}
      >
        <p>
          {say("You are signed in as")} <strong className="break-words">{account.email}</strong>
          {say(". The address to which we sent the link takes its place.")}
        </p>
      </Form>
    </Page>
  );
}
