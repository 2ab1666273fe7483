// Runs a program of the embedded PostgreSQL on systems without sh, in a process of its own:
//
// node supervisor.mjs <pg_ctl> <cluster> <program> <argument> ...
//
// The standard input is a pipe whose other end the service holds: when the service ends for any reason, PostgreSQL gets
// a fast shutdown. Windows has no signals, so pg_ctl requests the shutdown, repeatedly until PostgreSQL ends, because
// it ignores the request at its very beginning. After eight seconds it requests an immediate shutdown, for the reason
// in process.ts. Plain JavaScript, because the compiler would stay in its memory.
import { spawn } from "node:child_process";
import { writeSync } from "node:fs";

const AGAIN_MS = 500;
const FAST_MS = 8000;
/** Exit code on Windows of a program that lacks a library. */
const NO_LIBRARY = 0xc0000135;
const [control, cluster, program, ...args] = process.argv.slice(2);

const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
child.stdout.on("data", say);
child.stderr.on("data", say);
child.on("error", (error) => say(`error: ${error.message}\n`));
// Not at "exit": pg_ctl ends as soon as it has started PostgreSQL, which holds its output until it ends itself.
child.on("close", (code) => {
  if (code === NO_LIBRARY) say("error: install the Microsoft Visual C++ Redistributable (x64), and start again\n");
  process.exit(code ?? 1);
});

function say(text) {
  try {
    writeSync(2, text);
  } catch {
    // The service has gone, so nothing reads the output.
  }
}
function request(mode) {
  const stop = ["stop", `--mode=${mode}`, "--no-wait", "--pgdata", cluster];
  spawn(control, stop, { stdio: "ignore", windowsHide: true }).on("error", () => {});
}
function stop() {
  const began = performance.now();
  const isLate = () => performance.now() - began > FAST_MS;
  request("fast");
  setInterval(() => request(isLate() ? "immediate" : "fast"), AGAIN_MS);
}
process.stdin.once("end", stop);
process.stdin.once("error", stop);
process.stdin.resume();
