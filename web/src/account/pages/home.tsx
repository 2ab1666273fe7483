// Start page: redirects signed-in visitors to the application, and introduces svc to everybody else.

import { useEffect } from "react";
import { lastSlug } from "../../first-paint/remembered-workspaces.ts";
import { say } from "../../messages/t.ts";
import { go, Link } from "../../router.tsx";
import { Alert, Button, Loading, Page } from "../page-elements.tsx";
import { type Account, useSession } from "../session.tsx";
import { svc } from "../svc.ts";
import { References } from "./references.tsx";

export function Home() {
  const { session, refresh } = useSession();
  if (session.state === "in") return <Enter account={session.account} />;
  if (session.state === "out") return <Welcome />;
  return (
    <Page title="svc" wide>
      {session.state === "failed" ? (
        <>
          <Alert problem={session.problem} />
          <Button onClick={refresh}>{say("Try again")}</Button>
        </>
      ) : (
        <Loading lines={8} />
      )}
    </Page>
  );
}

/** Redirects to the Workspace of the session, or without one to the account page, which lists all Workspaces. */
function Enter({ account }: { account: Account }) {
  useEffect(() => {
    // Links in mails and push notifications name a Task or a Document, but no Workspace.
    const asked = new URLSearchParams(location.search);
    const rest = asked.has("task")
      ? `/tasks/${encodeURIComponent(asked.get("task") as string)}`
      : asked.has("document")
        ? `/documents/${encodeURIComponent(asked.get("document") as string)}`
        : "";
    const into = (slug: string | undefined) => go(slug ? `/workspaces/${slug}${rest}` : "/account", { replace: true });
    svc.listWorkspaces({ limit: 100 }).then(
      ({ items }) => into(items.find(({ id }) => id === account.workspace_id)?.slug),
      () => into(lastSlug() ?? undefined),
    );
  }, [account]);
  return null;
}

function Welcome() {
  return (
    <Page
      title={say("Team work management as an API")}
      lead={say("Every write is retry-safe, conflict-safe, reviewable and answerable.")}
      wide
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Link to="/login" className="button button-first">
          {say("Sign in")}
        </Link>
        <Link to="/register" className="button button-plain">
          {say("Create an account")}
        </Link>
      </div>
      <div className="mt-8 border-t border-line pt-6">
        <References />
      </div>
    </Page>
  );
}
