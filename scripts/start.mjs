// npm start: installs missing packages, builds pages and service if their sources have changed, then runs the server on
// the installed Node. Forwards signals and exits with the server's exit code; closing the channel notifies the server
// when this process is killed.
import { spawn } from "node:child_process";
import { buildServer } from "./build-server.mjs";
import { buildWeb } from "./build-web.mjs";
import { compiled } from "./compiled.mjs";
import { install, root } from "./install.mjs";
import { nodeProgram, serviceFlags } from "./node-program.mjs";

await install();
buildWeb(nodeProgram());
const program = buildServer(nodeProgram());

const server = spawn(nodeProgram(), [...serviceFlags, program], {
  cwd: root,
  env: { ...process.env, ...compiled(nodeProgram(), program) },
  stdio: ["inherit", "inherit", "inherit", "ipc"],
});
// Windows has no signals: sending one would kill the server at once. Closing the channel asks it to stop.
const isWindows = process.platform === "win32";
const pass = (signal) => (isWindows ? server.connected && server.disconnect() : server.kill(signal));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => pass(signal));
server.on("error", (error) => {
  console.error(`Cannot run the server: ${error.message}`);
  process.exit(1);
});
server.on("exit", (code) => process.exit(code ?? 1));

// npm sends a signal to its shell, which exits without forwarding it; only the new parent process id shows that. On
// Windows even that is missing.
if (process.env.npm_lifecycle_event && !isWindows) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    server.kill("SIGTERM");
  }, 250);
}
