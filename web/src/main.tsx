// Entry point of the application: fetches in parallel everything that the address needs, and meanwhile opens the
// persisted replica of the Workspace. It imports no library, so that nothing delays it.
import { takeFragment } from "./account/sign-in/fragment.ts";
import { endPicture, showPicture } from "./first-paint/picture.ts";
import { askAhead } from "./first-paint/prefetch.ts";
import { remembered } from "./first-paint/remembered-workspaces.ts";
import { workspaceIn } from "./paths.ts";
import { openAhead } from "./store/persistence.ts";
import { showTheme } from "./ui/theme.ts";
import "./style.css";

// Runs before the first render, and before anything can fail.
if (location.hash.includes("token=")) takeFragment();
showTheme();
const slug = workspaceIn(location.pathname);
const here = slug === null ? undefined : remembered()[slug];

function begin() {
  if (here) openAhead(here);
  else if (slug !== null) void askAhead(slug).catch(() => {});
  const draws = import("./draw-application.tsx");
  // The components that show the chunk retry and report a failed import.
  (slug === null ? import("./account/entrance.tsx") : import("./shell/shell.tsx")).catch(() => {});
  draws.then(({ draw }) => draw()).catch(endPicture);
}
// The saved picture of the page is painted before any application code is parsed or run.
if (here && showPicture(here)) requestAnimationFrame(() => setTimeout(begin));
else begin();
