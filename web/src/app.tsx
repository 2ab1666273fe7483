// Which page belongs to which address. What only a signed-in person sees, and few people at a time, is loaded when it is opened.
import { type ComponentType, lazy, Suspense } from "react";
import { Confirmed } from "./pages/confirmed.tsx";
import { Consent } from "./pages/consent.tsx";
import { SignedOut, Verified } from "./pages/done.tsx";
import { EmailChange } from "./pages/email-change.tsx";
import { ErrorPage } from "./pages/error.tsx";
import { Forgot } from "./pages/forgot.tsx";
import { Home } from "./pages/home.tsx";
import { Invitation } from "./pages/invitation.tsx";
import { Login } from "./pages/login.tsx";
import { Register } from "./pages/register.tsx";
import { Reset } from "./pages/reset.tsx";
import { SecondFactor } from "./pages/second-factor.tsx";
import { WorkspacePage } from "./pages/workspace.tsx";
import { WorkspaceNew } from "./pages/workspace-new.tsx";
import { Loading, Page } from "./parts.tsx";
import { type Path, workspaceIn } from "./paths.ts";
import { ProofDialog } from "./proof-dialog.tsx";
import { useAddress } from "./router.tsx";
import { SessionProvider } from "./session.tsx";

const pages: Record<Path, ComponentType> = {
  "/": Home,
  "/login": Login,
  "/register": Register,
  "/second-factor": SecondFactor,
  "/forgot": Forgot,
  "/reset": Reset,
  "/verified": Verified,
  "/email-change": EmailChange,
  "/invitation": Invitation,
  "/workspaces/new": WorkspaceNew,
  "/consent": Consent,
  "/security": lazy(() => import("./pages/security.tsx")),
  "/review": lazy(() => import("./pages/review.tsx")),
  "/confirmed": Confirmed,
  "/signed-out": SignedOut,
  "/error": ErrorPage,
};

function Current() {
  const { pathname } = useAddress();
  const Shown = pages[pathname as Path] ?? (workspaceIn(pathname) === null ? ErrorPage : WorkspacePage);
  return (
    <Suspense
      key={pathname}
      fallback={
        <Page title={pathname === "/review" ? "Review" : "Account security"} wide>
          <Loading lines={12} />
        </Page>
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
