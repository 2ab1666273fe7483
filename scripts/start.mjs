// npm start: installs what is missing, builds the pages where their sources have changed, then runs the server on the Node that the
// install brought. Passes signals on and ends with the server's exit code; the channel tells the server when this process is killed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildWeb } from "./build-web.mjs";
import { install, nodeProgram, root } from "./install.mjs";

install();
buildWeb(nodeProgram());

// Compiled code is kept between starts: without it the compiler itself stays in memory, 20 MB of what an idle service holds.
const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(root, "node_modules", ".cache", "svc-compiled");
const env = { ...process.env, NODE_COMPILE_CACHE };
if (!existsSync(NODE_COMPILE_CACHE))
  spawnSync(nodeProgram(), ["--eval", 'import("./server/src/server.ts").then(() => process.exit())'], {
    cwd: root,
    env,
  });

const server = spawn(nodeProgram(), ["server/src/main.ts"], {
  cwd: root,
  env,
  shell: process.platform === "win32",
  stdio: ["inherit", "inherit", "inherit", "ipc"],
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => server.kill(signal));
server.on("error", (error) => {
  console.error(`Cannot run the server: ${error.message}`);
  process.exit(1);
});
server.on("exit", (code) => process.exit(code ?? 1));

// npm gives a signal to its shell, which dies of it without passing it on; a new parent is all that shows.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    server.kill("SIGTERM");
  }, 250);
}
