// Status line, visible only if there is a problem: no connection, an ended session, or unsent or conflicting changes.
// It opens the list of unsent changes.

import { useEffect, useState } from "react";
import { withReturnTo } from "../account/sign-in/return-to.ts";
import { svc } from "../account/svc.ts";
import { t, tn } from "../messages/t.ts";
import { go, Link, useAddress } from "../router.tsx";
import { useConnection, usePending, useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Unsent } from "./unsent-changes.tsx";

/** Delay before the line appears, so that a short interruption stays silent. */
const LATE_MS = 1500;

export function ConnectionLine() {
  const replica = useReplica();
  const connection = useConnection();
  const pending = usePending();
  const { pathname, search } = useAddress();
  const [shown, setShown] = useState(false);
  const [late, setLate] = useState(false);
  const isQuiet = connection === "live";
  useEffect(() => {
    setLate(false);
    if (isQuiet) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, [isQuiet]);
  const stuck = pending.filter(({ state }) => state !== "waiting");
  const words =
    connection === "session"
      ? t("line.session")
      : connection === "elsewhere"
        ? t("line.elsewhere")
        : connection === "connecting" && late
          ? t("line.connecting")
          : null;
  const isShown = words !== null || stuck.length > 0;
  async function comeBack() {
    await svc.replaceSessionWorkspace({ workspace_id: replica.member.workspaceId });
    await replica.back();
  }
  return (
    <div role="status" data-connection={connection} data-pending={pending.length}>
      {isShown && (
        <div className="flex min-h-8 flex-wrap items-center gap-x-3 border-b border-line bg-note-wash px-3 text-12">
          <Icon name="cloud" className="size-4 text-soft" />
          {words && <span>{words}</span>}
          {connection === "session" && (
            <Link to={withReturnTo("/login", pathname + search)} className="link">
              {t("line.signIn")}
            </Link>
          )}
          {connection === "elsewhere" && (
            <Button look="quiet" onClick={() => void comeBack().catch(() => go("/account"))}>
              {t("line.comeBack")}
            </Button>
          )}
          {stuck.length > 0 && <span>{tn("line.conflicts", stuck.length)}</span>}
          {words && pending.length > stuck.length && <span>{tn("line.waiting", pending.length - stuck.length)}</span>}
          {pending.length > 0 && (
            <Button look="quiet" onClick={() => setShown(true)}>
              {t("line.show")}
            </Button>
          )}
        </div>
      )}
      {shown && <Unsent close={() => setShown(false)} />}
    </div>
  );
}
