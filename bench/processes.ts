// Processes of a benchmark: started and ended here. Their CPU time is read from /proc, a figure that a noisy machine
// does not distort.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { buildServer } from "../scripts/build-server.mjs";
import { serviceFlags } from "../scripts/node-program.mjs";

const HERTZ = 100;
const started: ChildProcess[] = [];
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export function forkScript(
  name: string,
  env: Record<string, string> = {},
  output: "ignore" | "inherit" = "ignore",
): ChildProcess {
  // The process's garbage collector must not take cores from the measured processes either.
  const stdio = ["ignore", output, "inherit", "ipc"] as const;
  const child = fork(path(name), { env: { ...process.env, ...env }, execArgv: serviceFlags, stdio: [...stdio] });
  started.push(child);
  return child;
}
export const nextMessage = <T>(child: ChildProcess) =>
  new Promise<T>((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`process ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as T);
    });
  });

/** Waits for the exit of a process that ends by itself. */
export async function endOf(child: ChildProcess): Promise<void> {
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`process ended with ${code}`);
}

/** Starts the service in the usual way. */
export async function startService(
  databaseUrl: string,
  env: Record<string, string>,
): Promise<{ pid: number; port: number }> {
  const child = spawn(process.execPath, [...serviceFlags, buildServer()], {
    env: { ...process.env, PORT: "0", DATABASE_URL: databaseUrl, RATE_LIMITS: "off", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  let output = "";
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}`)));
    child.stdout?.on("data", (chunk) => {
      if (output.length < 10_000) output += chunk;
      const match = /API +http:\/\/[^:]+:(\d+)/.exec(output);
      if (match) resolve(Number(match[1]));
    });
  });
  return { pid: child.pid as number, port };
}

export async function endAll() {
  await Promise.all(
    started.splice(0).map((child) => {
      const gone = child.exitCode === null ? new Promise((resolve) => child.once("exit", resolve)) : null;
      child.kill("SIGTERM");
      return gone;
    }),
  );
}

const stat = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ")
    .map(Number);
const sum = (...ticks: (number | undefined)[]) => ticks.reduce<number>((total, one) => total + (one ?? 0), 0) / HERTZ;

/** CPU seconds of a process. */
export function cpuOf(pid: number): number {
  try {
    const fields = stat(pid);
    return sum(fields[11], fields[12]);
  } catch {
    return 0;
  }
}
function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((candidate) => {
      try {
        return candidate > 0 && stat(candidate)[1] === pid;
      } catch {
        return false;
      }
    });
}
/** CPU seconds of a process and its children, including exited ones. */
export function cpuOfTree(pid: number): number {
  const fields = stat(pid);
  return (
    sum(fields[11], fields[12], fields[13], fields[14]) +
    childrenOf(pid).reduce((total, child) => total + cpuOf(child), 0)
  );
}
export const residentMegabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

/** Process id of the local database that a client is connected to. */
export async function postmasterOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select pg_read_file('postmaster.pid') as text");
  return Number(String(rows[0].text).split("\n")[0]);
}
