// npm run voice:install: installs the packages for speech recognition and synthesis (docs/operate.md) by their own lock
// file, separate from the service's packages.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./install.mjs";

// Uses a shell, because npm is a script on Windows, and a single string, because Node warns about arguments with a
// shell.
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
