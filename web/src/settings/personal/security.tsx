// Security settings inside a Workspace: the same sections as on the account page.
import { SecuritySections } from "../../account/security/sections.tsx";
import { useSession } from "../../account/session.tsx";
import { Skeleton } from "../../ui/controls.tsx";

export default function SecuritySettings() {
  const { session } = useSession();
  if (session.state !== "in") return <Skeleton />;
  return (
    <div>
      <SecuritySections account={session.account} />
    </div>
  );
}
