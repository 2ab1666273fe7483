// All security sections of an account, ordered by importance.

import type { Account } from "../session.tsx";
import { offers } from "../sign-in/offers.ts";
import { ApplicationsSection } from "./applications.tsx";
import { EmailSection } from "./email.tsx";
import { IdentitiesSection } from "./identities.tsx";
import { PasskeysSection } from "./passkeys.tsx";
import { PasswordSection } from "./password.tsx";
import { SecondFactorSection } from "./second-factor.tsx";
import { SessionsSection } from "./sessions.tsx";

export function SecuritySections({ account }: { account: Account }) {
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
