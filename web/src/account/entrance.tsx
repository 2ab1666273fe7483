// Entrance pages in one chunk: a visitor of one of them is likely to see the next.
import type { ComponentType } from "react";
import type { Path } from "../paths.ts";
import { Loading, Page } from "./page-elements.tsx";
import { Confirmed } from "./pages/confirmation.tsx";
import { ErrorPage } from "./pages/error.tsx";
import { Forgot } from "./pages/forgot-password.tsx";
import { Home } from "./pages/home.tsx";
import { Login } from "./pages/login.tsx";
import { SignedOut, Verified } from "./pages/outcome-pages.tsx";
import { Register } from "./pages/registration.tsx";
import { Reset } from "./pages/reset-password.tsx";
import { SecondFactor } from "./pages/second-factor.tsx";

const pages: Partial<Record<Path, ComponentType>> = {
  "/": Home,
  "/login": Login,
  "/register": Register,
  "/second-factor": SecondFactor,
  "/forgot": Forgot,
  "/reset": Reset,
  "/verified": Verified,
  "/confirmed": Confirmed,
  "/signed-out": SignedOut,
};

/** `waiting` is the title of a long page that is still loading; a skeleton is shown for it. */
export default function Entrance({ path, waiting }: { path?: string; waiting?: string }) {
  if (waiting !== undefined)
    return (
      <Page title={waiting} wide>
        <Loading lines={12} />
      </Page>
    );
  const Shown = pages[path as Path] ?? ErrorPage;
  return <Shown />;
}
