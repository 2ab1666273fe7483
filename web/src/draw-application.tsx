// Renders the application in the language last used in this browser.
import { createRoot } from "react-dom/client";
import { App, fetchFirst } from "./app.tsx";
import { LANGUAGE, speak } from "./messages/t.ts";

export async function draw() {
  const root = createRoot(document.getElementById("root") as HTMLElement);
  // A translation that fails to load must not block the application.
  const spoken = speak(localStorage.getItem(LANGUAGE) ?? undefined, navigator.language).catch(() => {});
  await Promise.all([spoken, fetchFirst()]);
  root.render(<App />);
}
