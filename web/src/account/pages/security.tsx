// Account security outside of Workspaces: sign-in methods and sessions.
import { say } from "../../messages/t.ts";
import { Link } from "../../router.tsx";
import { Page } from "../page-elements.tsx";
import { SignedIn } from "../require-sign-in.tsx";
import { SecuritySections } from "../security/sections.tsx";

export default function Security() {
  return (
    <SignedIn title={say("Account security")} wide lines={12}>
      {(account) => (
        <Page title={say("Account security")} lead={account.email} wide>
          <SecuritySections account={account} />
          <p className="border-t border-line pt-6">
            <Link to="/">{say("Back to your account")}</Link>
          </p>
        </Page>
      )}
    </SignedIn>
  );
}
