// Confirm a new address with the link that was sent to it. Only the signed-in owner of the account can, so somebody else is asked to sign
// in first; the token waits in this tab.
import { useState } from "react";
import { call, Problem } from "../api.ts";
import { Form } from "../form.tsx";
import { Alert, Notice, Page } from "../parts.tsx";
import { dropFragment, Link, takeFragment } from "../router.tsx";
import { type Account, useSession } from "../session.tsx";
import { SignedIn } from "../signed-in.tsx";

const TITLE = "Confirm your new address";

export function EmailChange() {
  const [{ token }] = useState(takeFragment);
  return <SignedIn title={TITLE}>{(account) => <Confirm account={account} token={token} />}</SignedIn>;
}

function Confirm({ account, token }: { account: Account; token: string | undefined }) {
  const { refresh } = useSession();
  const [done, setDone] = useState(false);
  if (done)
    return (
      <Page title="Your address is changed">
        <div role="status">
          <Notice tone="good">
            From now on you sign in with <strong className="break-words">{account.email}</strong>.
          </Notice>
        </div>
        <Link to="/" className="button button-first mt-6">
          Continue
        </Link>
      </Page>
    );
  if (!token)
    return (
      <Page title={TITLE}>
        <Alert problem={new Problem("invalid_link")} />
      </Page>
    );
  return (
    <Page title={TITLE}>
      <Form
        action="Confirm the new address"
        working="Confirming …"
        label={TITLE}
        send={async () => {
          await call("POST", "/me/email-change/verify", { token });
          dropFragment();
          await refresh();
          setDone(true);
        }}
      >
        <p>
          You are signed in as <strong className="break-words">{account.email}</strong>. The address to which we sent
          the link takes its place.
        </p>
      </Form>
    </Page>
  );
}
