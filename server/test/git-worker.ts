// The Git process of this test worker, started once: runs programs, and passes every request that its HTTP server
// receives to the test that made the repository.
import { fork } from "node:child_process";
import { mkdtempSync, openSync, readSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findGit } from "../../scripts/git.mjs";

export interface Command {
  program: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  input?: string;
}
interface Result {
  status: number;
  out: string;
  err: string;
}
/** Answers the requests for one folder of the server. */
export interface Handler {
  /** Returns the status to answer with, or 0 for what Git answers. */
  begin(line: string, authorization: string): Promise<number>;
  /** Resolves when the answer may end. */
  end(line: string): Promise<void>;
}
type Message =
  | { port: number }
  | { id: number; line: string; authorization: string }
  | { id: number; served: string }
  | { id: number; result: Result };

/** Nothing is collected or synced to the disk behind a test. */
const CONFIG = `
[init]
  defaultBranch = main
[http]
  receivepack = true
[receive]
  autogc = false
[gc]
  auto = 0
[maintenance]
  auto = false
[core]
  fsync = none
`;

export interface GitWorker {
  origin: string;
  root: string;
  /** Requests for paths that begin with `/<folder>/`. */
  handlers: Map<string, Handler>;
  /** Runs a program while nothing else happens in this worker. */
  runSync(command: Command): string;
  /** Runs a program that talks to the server, which needs this worker for its answers. */
  run(command: Command): Promise<string>;
}

const output = ({ program, args }: Command, { status, out, err }: Result): string => {
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${err}`);
  return out;
};

let started: Promise<GitWorker> | undefined;
export const gitWorker = (): Promise<GitWorker> => {
  started ??= start();
  return started;
};

async function start(): Promise<GitWorker> {
  const root = mkdtempSync(join(tmpdir(), "svc-git-"));
  writeFileSync(join(root, "config"), CONFIG);
  const env = {
    PATH: process.env.PATH ?? "",
    ROOT: root,
    BACKEND: findGit() as string,
    GIT_CONFIG_GLOBAL: join(root, "config"),
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "Kim",
    GIT_AUTHOR_EMAIL: "kim@example.com",
    GIT_COMMITTER_NAME: "Kim",
    GIT_COMMITTER_EMAIL: "kim@example.com",
  };
  const child = fork(new URL("./git-process.mjs", import.meta.url), {
    env,
    execArgv: [],
    // vitest waits until nobody holds the output of a worker any more.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const handlers: GitWorker["handlers"] = new Map();
  const waiting = new Map<number, (result: Result) => void>();
  const handlerOf = (line: string) => handlers.get(/^\w+ \/([^/]+)\//.exec(line)?.[1] ?? "");
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The Git process ended with ${code}`)));
    child.on("message", async (message: Message) => {
      if ("port" in message) resolve(message.port);
      else if ("result" in message) waiting.get(message.id)?.(message.result);
      else {
        const answer =
          "line" in message
            ? await handlerOf(message.line)?.begin(message.line, message.authorization)
            : await handlerOf(message.served)?.end(message.served);
        // A test that kills or closes something may have closed this one.
        if (child.connected) child.send({ id: message.id, answer: answer ?? 0 });
      }
    });
  });
  // The process ends with this one, and does not keep it alive.
  child.unref();
  child.channel?.unref();
  const requests = openSync(join(root, "requests.pipe"), "w");
  const replies = openSync(join(root, "replies.pipe"), "r");
  let count = 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    root,
    handlers,
    runSync(command) {
      const line = Buffer.from(`${JSON.stringify(command)}\n`);
      for (let written = 0; written < line.length; ) written += writeSync(requests, line, written);
      return output(command, JSON.parse(lineFrom(replies)));
    },
    async run(command) {
      const id = ++count;
      const result = await new Promise<Result>((resolve) => {
        waiting.set(id, resolve);
        child.send({ id, command });
      });
      waiting.delete(id);
      return output(command, result);
    },
  };
}

const CHUNK = 64 * 1024;
/** Blocks until the whole line is there. */
function lineFrom(file: number): string {
  const parts: Buffer[] = [];
  for (;;) {
    const bytes = Buffer.alloc(CHUNK);
    const length = readSync(file, bytes);
    if (length === 0) throw new Error("The Git process has ended");
    parts.push(bytes.subarray(0, length));
    if (bytes[length - 1] === 10) return Buffer.concat(parts).toString();
  }
}
