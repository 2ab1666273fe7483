// Account page: profile, Workspaces, and sign-in methods.

import type { Problem } from "@svc/client";
import { useCallback, useEffect, useState } from "react";
import { type Key, say, t } from "../../messages/t.ts";
import { go, Link } from "../../router.tsx";
import { Alert, Button, Loading, Page, Section } from "../page-elements.tsx";
import { SignedIn } from "../require-sign-in.tsx";
import { type Account as Person, signOut, useSession } from "../session.tsx";
import { Unproved } from "../sign-in/unproved-address.tsx";
import { svc } from "../svc.ts";
import { Archived } from "./archived-workspaces.tsx";
import { Card, References } from "./references.tsx";
import type { Workspace } from "./workspace-new.tsx";

export function Account() {
  return (
    <SignedIn title={say("Account")} wide>
      {(account) => <Landing account={account} />}
    </SignedIn>
  );
}

function Landing({ account }: { account: Person }) {
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
    <Page title={say("Hello, {name}", { name: account.display_name })} wide>
      {problem && <Alert problem={problem} />}
      <Section
        title={say("You")}
        aside={
          <Button small busy={busy} onClick={leave}>
            {say("Sign out")}
          </Button>
        }
      >
        <p className="break-words">{account.email}</p>
        {account.email_proved ? (
          <p className="text-sm text-soft">{say("Verified address")}</p>
        ) : (
          <Unproved account={account} />
        )}
      </Section>
      <Section title={say("Workspaces")}>
        <Workspaces account={account} />
      </Section>
      <Section title={say("Account security")}>
        <ul className="grid gap-3 sm:grid-cols-2">
          <Card to="/security" title={say("Second factor")}>
            {account.mfa_enabled
              ? say("On: a code is asked for when you sign in.")
              : say("Off: turn it on in a minute.")}
          </Card>
          <Card to="/security" title={say("Password, passkeys, sessions")}>
            {say("How you sign in, and where you are signed in now.")}
          </Card>
        </ul>
      </Section>
      <Section title={say("For developers")}>
        <References />
      </Section>
    </Page>
  );
}

function Workspaces({ account }: { account: Person }) {
  const { refresh } = useSession();
  const [found, setFound] = useState<Workspace[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const read = useCallback(
    () => svc.listWorkspaces({ limit: 100 }).then(({ items }) => setFound(items), setProblem),
    [],
  );
  useEffect(() => void read(), [read]);
  const enterWorkspace = async (id: string) => {
    setProblem(null);
    await svc.replaceSessionWorkspace({ workspace_id: id }).then(refresh, setProblem);
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
                  /{slug} · {t(`role.${role}` as Key)}
                </p>
              </div>
              {id === account.workspace_id ? (
                <span className="text-sm font-medium text-good">{say("You are here")}</span>
              ) : (
                <Button small onClick={() => enterWorkspace(id)} aria-label={say("Enter {name}", { name })}>
                  {say("Enter")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {found && <Link to="/workspaces/new">{say("Create a Workspace")}</Link>}
      <Archived restored={() => void read()} />
    </>
  );
}
