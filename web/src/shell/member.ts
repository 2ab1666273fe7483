// Whose Workspace this tab shows: known at once from the last visit, so that what is kept is shown before the service has answered, and then
// from the session. A session is in one Workspace at a time; opening the address of another one moves it there.
import { Problem } from "@svc/client";
import { useEffect, useRef, useState } from "react";
import { speak } from "../messages/t.ts";
import { type Account, useSession } from "../session.tsx";
import { svc } from "../svc.ts";
import { type Here, remember, remembered } from "./remembered.ts";

async function find(
  slug: string,
  account: Account,
  isFresh: boolean,
  refresh: () => Promise<unknown>,
): Promise<Here | Problem> {
  const { items } = await svc.listWorkspaces({ limit: 100 });
  const found = items.find((workspace) => workspace.slug === slug);
  if (!found) return new Problem({ code: "not_found" });
  if (found.id !== account.workspace_id) {
    await svc.replaceSessionWorkspace({ workspace_id: found.id });
    await refresh();
  }
  const me = isFresh && found.id === account.workspace_id ? account : await svc.getMe();
  if (me.workspace_id !== found.id || me.actor_id === null) return new Problem({ code: "workspace_access_denied" });
  return {
    ...{ slug, workspaceId: found.id, actorId: me.actor_id, userId: me.id },
    ...{ language: me.interface_language, locale: me.locale },
  };
}

/** Whether it says something about the person; a service that cannot be reached, or that is busy, closes no page that is open. */
const isTelling = ({ status, code }: Problem) => code !== "unreachable" && status !== 429 && status < 500;

/** null until it is known; a Problem where it is none of theirs, or cannot be asked. */
export function useHere(slug: string): Here | Problem | null {
  const { session, refresh } = useSession();
  const account = session.state === "in" ? session.account : null;
  const [here, setHere] = useState<Here | Problem | null>(() => remembered()[slug] ?? null);
  useEffect(() => {
    setHere((known) => (known && "slug" in known && known.slug === slug ? known : (remembered()[slug] ?? null)));
  }, [slug]);
  // Asked for since this was opened: it need not be asked for again.
  const isFresh = useRef(session.state === "unknown");
  const signedIn = account?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each person and Workspace, not after each answer.
  useEffect(() => {
    if (!account) return;
    let current = true;
    const wasFresh = isFresh.current;
    isFresh.current = false;
    find(slug, account, wasFresh, refresh)
      .catch((problem: Problem) => problem)
      .then((found) => {
        if (!current) return;
        if (!(found instanceof Problem)) {
          remember(found);
          localStorage.setItem("svc:last", slug);
          // It may have been changed elsewhere since the last visit.
          void speak(found.language, navigator.language);
          setHere((known) => (known && "actorId" in known && known.actorId === found.actorId ? known : found));
        } else if (isTelling(found)) setHere(found);
        else setHere((known) => known ?? found);
      });
    return () => {
      current = false;
    };
  }, [slug, signedIn]);
  return here;
}
