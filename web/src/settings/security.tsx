// How somebody signs in and where they are signed in: the same sections that the account has outside of every Workspace.
import { SecuritySections } from "../security/sections.tsx";
import { useSession } from "../session.tsx";
import { Skeleton } from "../ui/parts.tsx";

export default function SecuritySettings() {
  const { session } = useSession();
  if (session.state !== "in") return <Skeleton />;
  return (
    <div>
      <SecuritySections account={session.account} />
    </div>
  );
}
