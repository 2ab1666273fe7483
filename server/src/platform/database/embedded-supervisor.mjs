// Runs a program of the embedded PostgreSQL where there is no sh, in a process of its own:
// node embedded-supervisor.mjs <pg_ctl> <cluster> <program> <argument> ...
// Its standard input is a pipe whose other end is the service's: when that ends, however it ends, PostgreSQL is told to stop by a fast shutdown.
// Windows has no signals, so pg_ctl tells it, again and again until it ends: at its very beginning it does not listen yet.
// Plain JavaScript, because the compiler would stay in its memory.
import { spawn } from "node:child_process";
import { writeSync } from "node:fs";

const AGAIN_MS = 500;
/** Of Windows, for a program that lacks a library. */
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
    // Nobody is left who reads it.
  }
}
function tell() {
  const stop = ["stop", "--mode=fast", "--no-wait", "--pgdata", cluster];
  spawn(control, stop, { stdio: "ignore", windowsHide: true }).on("error", () => {});
}
function stop() {
  tell();
  setInterval(tell, AGAIN_MS);
}
process.stdin.once("end", stop);
process.stdin.once("error", stop);
process.stdin.resume();
