// Starts the application in the page that the service has sent: everything that its address needs is fetched side by side, and what was kept of
// a Workspace is opened meanwhile. It imports no library, so that nothing of this waits for one.
import { takeFragment } from "./fragment.ts";
import { workspaceIn } from "./paths.ts";
import { askAhead } from "./shell/ahead.ts";
import { endPicture, showPicture } from "./shell/picture.ts";
import { remembered } from "./shell/remembered.ts";
import { showTheme } from "./shell/theme.ts";
import { openAhead } from "./store/persist.ts";
import "./style.css";

// Before anything is drawn, and before anything could fail.
if (location.hash.includes("token=")) takeFragment();
showTheme();
const slug = workspaceIn(location.pathname);
const here = slug === null ? undefined : remembered()[slug];

function begin() {
  if (here) openAhead(here);
  else if (slug !== null) void askAhead(slug).catch(() => {});
  const draws = import("./draw.tsx");
  // What cannot be fetched is asked for again, and told, by those who show it.
  (slug === null ? import("./entrance.tsx") : import("./shell/shell.tsx")).catch(() => {});
  draws.then(({ draw }) => draw()).catch(endPicture);
}
// The picture is painted before anything that draws the page itself is read or run.
if (here && showPicture(here)) requestAnimationFrame(() => setTimeout(begin));
else begin();
