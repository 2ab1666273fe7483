// Page header, and the placeholders of a page: not found, offline, or rejected.
import type { ReactNode } from "react";
import { t, why } from "../messages/t.ts";
import { Link } from "../router.tsx";
import { within } from "./address.ts";
import { Button, Empty, Skeleton } from "./controls.tsx";

export interface Tab {
  to: string;
  label: string;
  isHere: boolean;
}
/** Heading, view tabs and tools of a page. */
export function PageHead({
  title,
  tabs = [],
  children,
}: {
  title: string;
  tabs?: readonly Tab[];
  children?: ReactNode;
}) {
  return (
    <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1">
      <h1 className="min-w-0 truncate text-14 font-semibold">{title}</h1>
      {tabs.length > 0 && (
        <nav aria-label={title} className="flex flex-wrap gap-0.5">
          {tabs.map(({ to, label, isHere }) => (
            <Link key={label} to={to} aria-current={isHere ? "page" : undefined} className="tab">
              {label}
            </Link>
          ))}
        </nav>
      )}
      {children && <div className="ml-auto flex flex-wrap items-center gap-1">{children}</div>}
    </header>
  );
}

/** The page does not exist, or the member may not know that it does. */
export function Nowhere() {
  return (
    <Empty title={t("shell.nowhere")}>
      <p>{t("shell.nowhereHelp")}</p>
      <Link to={within("")} className="btn btn-plain mt-3">
        {t("shell.goHome")}
      </Link>
    </Empty>
  );
}

/** Skeleton while a page loads, or the reason why it could not be loaded. */
export function Unread({ failed, again, rows = 10 }: { failed: string | null; again: () => void; rows?: number }) {
  if (failed === null) return <Skeleton rows={rows} />;
  if (failed === "not_found") return <Nowhere />;
  const isOffline = failed === "unreachable";
  return (
    <Empty title={isOffline ? t("ui.offline") : t("ui.notRead")}>
      <p>{isOffline ? t("ui.offlineHelp") : why(failed)}</p>
      <Button className="mt-3" onClick={again}>
        {t("ui.again")}
      </Button>
    </Empty>
  );
}
