// Review of a ChangeSet inside the application.
import { type ReactNode, useEffect } from "react";
import { t } from "../messages/t.ts";
import { Link, useAddress } from "../router.tsx";
import { useReplica } from "../store/react.ts";
import { within } from "../ui/address.ts";
import { Nowhere } from "../ui/page.tsx";
import { Decision } from "./decision.tsx";

export default function ChangeSetPage({ params }: { params: Readonly<Record<string, string>> }) {
  const { member } = useReplica();
  const version = useAddress().searchParams.get("version") ?? "";
  if (!/^\d+$/.test(version)) return <Nowhere />;
  return <Decision workspaceId={member.workspaceId} id={params.id ?? ""} version={version} frame={Inside} />;
}

function Inside({ title, lead, children }: { title: string; lead?: ReactNode; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-3xl p-4 text-14 sm:p-6">
        <p className="mb-2 text-12">
          <Link to={within("changes")} className="link">
            {t("changes.back")}
          </Link>
        </p>
        <h1 className="text-20 font-semibold break-words">{title}</h1>
        {lead && <p className="mt-1 text-soft">{lead}</p>}
        <div className="mt-4">{children}</div>
      </div>
    </div>
  );
}
