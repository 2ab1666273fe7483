// npm run voice:install: what hears and speaks (docs/operate.md), by its own lock, beside what the service needs and not among it.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./install.mjs";

// Through a shell, because npm is a script on Windows, and as one text, because Node warns of arguments that go through one.
const npm = spawn("npm ci --ignore-scripts --no-audit --no-fund", {
  cwd: join(root, "voice"),
  stdio: "inherit",
  shell: true,
});
npm.on("error", ({ message }) => {
  console.error(message);
  process.exitCode = 1;
});
npm.on("close", (status) => {
  process.exitCode = status ?? 1;
});
