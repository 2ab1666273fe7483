// Which page belongs to which address. What only a signed-in person sees, and few people at a time, is loaded when it is opened.
import { type ComponentType, lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import { LANGUAGE, onSpeak, say, speak, spoken } from "./messages/t.ts";
import { Confirmed } from "./pages/confirmed.tsx";
import { SignedOut, Verified } from "./pages/done.tsx";
import { ErrorPage } from "./pages/error.tsx";
import { Forgot } from "./pages/forgot.tsx";
import { Home } from "./pages/home.tsx";
import { Login } from "./pages/login.tsx";
import { Register } from "./pages/register.tsx";
import { Reset } from "./pages/reset.tsx";
import { SecondFactor } from "./pages/second-factor.tsx";
import { Loading, Page } from "./parts.tsx";
import { type Path, workspaceIn } from "./paths.ts";
import { ProofDialog } from "./proof-dialog.tsx";
import { useAddress } from "./router.tsx";
import { SessionProvider, useSession } from "./session.tsx";

const pages: Record<Path, ComponentType> = {
  "/": Home,
  "/account": lazy(() => import("./pages/account.tsx").then((file) => ({ default: file.Account }))),
  "/login": Login,
  "/register": Register,
  "/second-factor": SecondFactor,
  "/forgot": Forgot,
  "/reset": Reset,
  "/verified": Verified,
  "/email-change": lazy(() => import("./pages/email-change.tsx").then((file) => ({ default: file.EmailChange }))),
  "/invitation": lazy(() => import("./pages/invitation.tsx").then((file) => ({ default: file.Invitation }))),
  "/workspaces/new": lazy(() => import("./pages/workspace-new.tsx").then((file) => ({ default: file.WorkspaceNew }))),
  "/consent": lazy(() => import("./pages/consent.tsx").then((file) => ({ default: file.Consent }))),
  "/security": lazy(() => import("./pages/security.tsx")),
  "/review": lazy(() => import("./pages/review.tsx")),
  "/confirmed": Confirmed,
  "/signed-out": SignedOut,
  "/error": ErrorPage,
};

/** The application itself. */
const Shell = lazy(() => import("./shell/shell.tsx"));

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
  const Shown = pages[pathname as Path] ?? ErrorPage;
  const long = { "/review": say("Review"), "/security": say("Account security") }[pathname];
  return (
    <Suspense
      key={pathname + language}
      fallback={
        long && (
          <Page title={long} wide>
            <Loading lines={12} />
          </Page>
        )
      }
    >
      <Shown />
    </Suspense>
  );
}

export function App() {
  return (
    <SessionProvider>
      <Current />
      <ProofDialog />
    </SessionProvider>
  );
}
