// Maps addresses to pages. The application, the sign-in pages and rarely visited pages are separate chunks.
import { type ComponentType, lazy, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { SessionProvider, useSession } from "./account/session.tsx";
import { setAskForProof } from "./account/svc.ts";
import { LANGUAGE, onSpeak, say, speak, spoken } from "./messages/t.ts";
import { type Path, workspaceIn } from "./paths.ts";
import { useAddress } from "./router.tsx";
import { later } from "./ui/lazy-part.tsx";

/** All other paths belong to the entrance chunk. */
const pages: Partial<Record<Path, ComponentType>> = {
  "/account": lazy(() => import("./account/pages/account.tsx").then((file) => ({ default: file.Account }))),
  "/email-change": lazy(() =>
    import("./account/pages/email-change.tsx").then((file) => ({ default: file.EmailChange })),
  ),
  "/invitation": lazy(() => import("./account/pages/invitation.tsx").then((file) => ({ default: file.Invitation }))),
  "/workspaces/new": lazy(() =>
    import("./account/pages/workspace-new.tsx").then((file) => ({ default: file.WorkspaceNew })),
  ),
  "/consent": lazy(() => import("./account/pages/consent.tsx").then((file) => ({ default: file.Consent }))),
  "/security": lazy(() => import("./account/pages/security.tsx")),
  "/review": lazy(() => import("./review/review.tsx")),
};
const Entrance = later(() => import("./account/entrance.tsx"));
const Shell = later(() => import("./shell/shell.tsx"));

/** Loads the chunk that the current address needs for its first render. */
export const fetchFirst = () => (workspaceIn(location.pathname) === null ? Entrance : Shell).fetch();
const ProofDialog = lazy(() => import("./account/proof-dialog.tsx"));

function Current() {
  const { pathname } = useAddress();
  const language = useSyncExternalStore(onSpeak, spoken);
  const { session } = useSession();
  const chosen = session.state === "in" ? session.account.interface_language : null;
  useEffect(() => {
    if (chosen === null) return;
    localStorage.setItem(LANGUAGE, chosen);
    void speak(chosen, navigator.language);
  }, [chosen]);
  const slug = workspaceIn(pathname);
  if (slug !== null)
    return (
      <Suspense fallback={null}>
        <Shell slug={slug} />
      </Suspense>
    );
  const Shown = pages[pathname as Path];
  const waiting = { "/review": say("Review"), "/security": say("Account security") }[pathname];
  return (
    <Suspense
      key={pathname + language}
      fallback={
        waiting && (
          <Suspense>
            <Entrance waiting={waiting} />
          </Suspense>
        )
      }
    >
      {Shown ? <Shown /> : <Entrance path={pathname} />}
    </Suspense>
  );
}

/** Dialog that asks for a proof of identity, above whichever page requested it. */
function Proof() {
  const [answer, setAnswer] = useState<{ give: (proved: boolean) => void } | null>(null);
  const { pathname } = useAddress();
  useEffect(() => {
    setAskForProof(() => new Promise((give) => setAnswer({ give })));
    return () => setAskForProof(null);
  }, []);
  if (!answer) return null;
  const close = (proved: boolean) => {
    setAnswer(null);
    answer.give(proved);
  };
  return (
    <Suspense>
      <ProofDialog key={pathname} close={close} />
    </Suspense>
  );
}

export function App() {
  return (
    <SessionProvider>
      <Current />
      <Proof />
    </SessionProvider>
  );
}
