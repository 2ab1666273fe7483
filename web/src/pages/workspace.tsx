// The address of a Workspace, and of everything in it until there are pages for that: says where you are and offers what there is. One
// that does not exist and one that you do not belong to look the same.
import { useEffect, useState } from "react";
import { call, Problem } from "../api.ts";
import { Alert, Button, Loading, Page } from "../parts.tsx";
import { workspaceIn } from "../paths.ts";
import { Link, useAddress } from "../router.tsx";
import { type Account, useSession } from "../session.tsx";
import { SignedIn } from "../signed-in.tsx";
import type { Workspace } from "./workspace-new.tsx";

export function WorkspacePage() {
  return <SignedIn title="Workspace">{(account) => <Shown account={account} />}</SignedIn>;
}

function Shown({ account }: { account: Account }) {
  const { refresh } = useSession();
  const slug = workspaceIn(useAddress().pathname);
  const [found, setFound] = useState<Workspace | Problem | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    call<{ items: Workspace[] }>("GET", "/workspaces?limit=100").then(
      ({ items }) => setFound(items.find((workspace) => workspace.slug === slug) ?? new Problem("not_found")),
      setFound,
    );
  }, [slug]);
  async function enter(id: string) {
    setBusy(true);
    await call("PUT", "/auth/session/workspace", { workspace_id: id }).then(refresh, setFound);
    setBusy(false);
  }
  if (found === null) return <Page title="Workspace">{<Loading />}</Page>;
  if (found instanceof Problem)
    return (
      <Page title="Workspace">
        <Alert problem={found} />
        <Link to="/" className="button button-first">
          Home
        </Link>
      </Page>
    );
  const here = account.workspace_id === found.id;
  return (
    <Page
      title={found.name}
      lead={`You are ${found.role === "admin" || found.role === "owner" ? "an" : "a"} ${found.role} here.`}
    >
      <p>
        Projects and Tasks have no pages yet. Everything in this Workspace is there through the{" "}
        <a className="link" href="/docs">
          interface
        </a>
        , and for scripts and the command line.
      </p>
      <div className="mt-6 space-y-3">
        {here ? (
          <p role="status" className="text-soft">
            This is the Workspace that your session is in.
          </p>
        ) : (
          <Button busy={busy} onClick={() => enter(found.id)}>
            Switch to this Workspace
          </Button>
        )}
        <Link to="/" className="button button-plain">
          Home
        </Link>
      </div>
    </Page>
  );
}
