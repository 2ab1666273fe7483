// How you sign in and where you are signed in: second factor, passkeys, password, providers, address, sessions, applications.
import { say } from "../messages/t.ts";
import { offers } from "../offers.ts";
import { Page } from "../parts.tsx";
import { Link } from "../router.tsx";
import { ApplicationsSection } from "../security/applications.tsx";
import { EmailSection } from "../security/email.tsx";
import { IdentitiesSection } from "../security/identities.tsx";
import { PasskeysSection } from "../security/passkeys.tsx";
import { PasswordSection } from "../security/password.tsx";
import { SecondFactorSection } from "../security/second-factor.tsx";
import { SessionsSection } from "../security/sessions.tsx";
import { SignedIn } from "../signed-in.tsx";

export default function Security() {
  return (
    <SignedIn title={say("Account security")} wide lines={12}>
      {(account) => (
        <Page title={say("Account security")} lead={account.email} wide>
          <SecondFactorSection account={account} />
          {offers.passkeys && <PasskeysSection />}
          <PasswordSection account={account} />
          <IdentitiesSection />
          <EmailSection account={account} />
          <SessionsSection />
          <ApplicationsSection />
          <p className="border-t border-line pt-6">
            <Link to="/">{say("Back to your account")}</Link>
          </p>
        </Page>
      )}
    </SignedIn>
  );
}
