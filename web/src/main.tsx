// Starts the application in the page that the service has sent.
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { takeFragment } from "./router.tsx";
import "./style.css";

// Before anything is drawn, and before anything could fail.
if (location.hash.includes("token=")) takeFragment();
createRoot(document.getElementById("root") as HTMLElement).render(<App />);
