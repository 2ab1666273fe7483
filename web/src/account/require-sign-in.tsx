// Wrapper for pages that require a session: waits until it is known, and redirects everybody else to sign-in and back.

import { type ReactNode, useEffect } from "react";
import { say } from "../messages/t.ts";
import { go } from "../router.tsx";
import { Alert, Button, Loading, Page } from "./page-elements.tsx";
import { type Account, useSession } from "./session.tsx";
import { withReturnTo } from "./sign-in/return-to.ts";

interface Props {
  title: string;
  wide?: boolean;
  lines?: number;
  children: (account: Account) => ReactNode;
}

export function SignedIn({ title, wide, lines, children }: Props) {
  const { session, refresh } = useSession();
  const { state } = session;
  useEffect(() => {
    if (state === "out") go(withReturnTo("/login", location.pathname + location.search), { replace: true });
  }, [state]);
  if (state === "in") return children(session.account);
  return (
    <Page title={title} wide={wide}>
      {state === "failed" ? (
        <>
          <Alert problem={session.problem} />
          <Button onClick={refresh}>{say("Try again")}</Button>
        </>
      ) : (
        <Loading lines={lines} />
      )}
    </Page>
  );
}
