// Starts the application in the page that the service has sent.
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { LANGUAGE, speak } from "./messages/t.ts";
import { takeFragment } from "./router.tsx";
import { showTheme } from "./shell/theme.ts";
import "./style.css";

// Before anything is drawn, and before anything could fail.
if (location.hash.includes("token=")) takeFragment();
showTheme();
const root = createRoot(document.getElementById("root") as HTMLElement);
// A language that cannot be loaded keeps nobody out.
speak(localStorage.getItem(LANGUAGE) ?? undefined, navigator.language)
  .catch(() => {})
  .then(() => root.render(<App />));
