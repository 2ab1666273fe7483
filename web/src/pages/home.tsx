// The first page: who you are and where you can go on; for somebody who is not signed in, what this is and how to begin.
import { type ReactNode, useEffect, useState } from "react";
import { call, type Problem } from "../api.ts";
import { Alert, Button, Loading, Page, Section } from "../parts.tsx";
import { go, Link } from "../router.tsx";
import { type Account, signOut, useSession } from "../session.tsx";
import { Unproved } from "../unproved.tsx";
import type { Workspace } from "./workspace-new.tsx";

export function Home() {
  const { session, refresh } = useSession();
  if (session.state === "in") return <Landing account={session.account} />;
  if (session.state === "out") return <Welcome />;
  return (
    <Page title="svc" wide>
      {session.state === "failed" ? (
        <>
          <Alert problem={session.problem} />
          <Button onClick={refresh}>Try again</Button>
        </>
      ) : (
        <Loading lines={8} />
      )}
    </Page>
  );
}

function Welcome() {
  return (
    <Page
      title="Team work management as an API"
      lead="Every write is retry-safe, conflict-safe, reviewable and answerable."
      wide
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Link to="/login" className="button button-first">
          Sign in
        </Link>
        <Link to="/register" className="button button-plain">
          Create an account
        </Link>
      </div>
      <div className="mt-8 border-t border-line pt-6">
        <References />
      </div>
    </Page>
  );
}

function References() {
  return (
    <ul className="grid gap-3 sm:grid-cols-3">
      <Card to="/docs" title="Reference">
        Every operation, with examples, ready to try.
      </Card>
      <Card to="/api/v1/openapi.json" title="OpenAPI document">
        For code generators and other tools.
      </Card>
      <Card to="/problems" title="Errors">
        What each code means and what to do next.
      </Card>
    </ul>
  );
}

function Card({ to, title, children }: { to: string; title: string; children: ReactNode }) {
  return (
    <li>
      <Link to={to} className="block h-full rounded-lg border border-line p-4 hover:border-accent">
        <span className="block font-medium text-accent">{title}</span>
        <span className="mt-1 block text-sm text-soft">{children}</span>
      </Link>
    </li>
  );
}

function Landing({ account }: { account: Account }) {
  const { set } = useSession();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  async function leave() {
    if (busy) return;
    setBusy(true);
    try {
      await signOut();
    } catch (error) {
      setBusy(false);
      return setProblem(error as Problem);
    }
    go("/signed-out", { replace: true });
    set({ state: "out" });
  }
  return (
    <Page title={`Hello, ${account.display_name}`} wide>
      {problem && <Alert problem={problem} />}
      <Section
        title="You"
        aside={
          <Button small busy={busy} onClick={leave}>
            Sign out
          </Button>
        }
      >
        <p className="break-words">{account.email}</p>
        {account.email_proved ? <p className="text-sm text-soft">Verified address</p> : <Unproved account={account} />}
      </Section>
      <Section title="Workspaces">
        <Workspaces account={account} />
      </Section>
      <Section title="Account security">
        <ul className="grid gap-3 sm:grid-cols-2">
          <Card to="/security" title="Second factor">
            {account.mfa_enabled ? "On: a code is asked for when you sign in." : "Off: turn it on in a minute."}
          </Card>
          <Card to="/security" title="Password, passkeys, sessions">
            How you sign in, and where you are signed in now.
          </Card>
        </ul>
      </Section>
      <Section title="For developers">
        <References />
      </Section>
    </Page>
  );
}

function Workspaces({ account }: { account: Account }) {
  const { refresh } = useSession();
  const [found, setFound] = useState<Workspace[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    call<{ items: Workspace[] }>("GET", "/workspaces?limit=100").then(({ items }) => setFound(items), setProblem);
  }, []);
  const enterWorkspace = async (id: string) => {
    setProblem(null);
    await call("PUT", "/auth/session/workspace", { workspace_id: id }).then(refresh, setProblem);
  };
  return (
    <>
      {problem && <Alert problem={problem} />}
      {found === null && !problem && <Loading lines={2} />}
      {found && found.length > 0 && (
        <ul className="mb-4 divide-y divide-line rounded-lg border border-line">
          {found.map(({ id, name, slug, role }) => (
            <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
              <div className="min-w-0">
                <p className="font-medium break-words">
                  <Link to={`/workspaces/${slug}`}>{name}</Link>
                </p>
                <p className="text-sm break-all text-soft">
                  /{slug} · {role}
                </p>
              </div>
              {id === account.workspace_id ? (
                <span className="text-sm font-medium text-good">You are here</span>
              ) : (
                <Button small onClick={() => enterWorkspace(id)} aria-label={`Enter ${name}`}>
                  Enter
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {found && <Link to="/workspaces/new">Create a Workspace</Link>}
    </>
  );
}
