// How somebody signs in and where they are signed in: the same sections that the account has outside of every Workspace.
import { offers } from "../offers.ts";
import { ApplicationsSection } from "../security/applications.tsx";
import { EmailSection } from "../security/email.tsx";
import { IdentitiesSection } from "../security/identities.tsx";
import { PasskeysSection } from "../security/passkeys.tsx";
import { PasswordSection } from "../security/password.tsx";
import { SecondFactorSection } from "../security/second-factor.tsx";
import { SessionsSection } from "../security/sessions.tsx";
import { useSession } from "../session.tsx";
import { Skeleton } from "../ui/parts.tsx";

export default function SecuritySettings() {
  const { session } = useSession();
  if (session.state !== "in") return <Skeleton />;
  const { account } = session;
  return (
    <>
      <SecondFactorSection account={account} />
      {offers.passkeys && <PasskeysSection />}
      <PasswordSection account={account} />
      <IdentitiesSection />
      <EmailSection account={account} />
      <SessionsSection />
      <ApplicationsSection />
    </>
  );
}
