// Page shown for a Workspace that the visitor cannot access: the reason, and links to other Workspaces or to sign-in.
import { Problem } from "@svc/client";
import { Alert, Page } from "../account/page-elements.tsx";
import { SignedIn } from "../account/require-sign-in.tsx";
import { say } from "../messages/t.ts";
import { Link } from "../router.tsx";

export default function Outside({ problem }: { problem: Problem | null }) {
  if (!(problem instanceof Problem)) return <SignedIn title="Workspace">{() => null}</SignedIn>;
  return (
    <Page title="Workspace">
      <Alert problem={problem} />
      <Link to="/account" className="button button-first">
        {say("Your Workspaces")}
      </Link>
    </Page>
  );
}
