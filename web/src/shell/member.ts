// Resolves the Workspace and member of this tab: from the last visit, so that persisted rows appear before the service
// answers, then from the session. A session is in one Workspace at a time; opening another one switches it.
import { Problem } from "@svc/client";
import { useEffect, useRef, useState } from "react";
import { type Account, useSession } from "../account/session.tsx";
import { svc } from "../account/svc.ts";
import { type Here, remember, remembered } from "../first-paint/remembered-workspaces.ts";
import { speak } from "../messages/t.ts";

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
    slug,
    workspaceId: found.id,
    actorId: me.actor_id,
    userId: me.id,
    language: me.interface_language,
    locale: me.locale,
  };
}

/** True if the error concerns the person: an unreachable or overloaded service must not close an open page. */
const isTelling = ({ status, code }: Problem) => code !== "unreachable" && status !== 429 && status < 500;

/** Null until it is known; a Problem if the person is not a member or the request failed. */
export function useHere(slug: string): Here | Problem | null {
  const { session, refresh } = useSession();
  const account = session.state === "in" ? session.account : null;
  const [here, setHere] = useState<Here | Problem | null>(() => remembered()[slug] ?? null);
  useEffect(() => {
    setHere((known) => (known && "slug" in known && known.slug === slug ? known : (remembered()[slug] ?? null)));
  }, [slug]);
  // The session was read after this page opened, so its account is current.
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
          // The language may have changed on another device since the last visit.
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
