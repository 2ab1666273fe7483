// A real Git server for tests: `git http-backend` on loopback, which asks for a credential, and a real clone on the
// other side. All servers of a test worker share one process (git-worker.ts); repositories, credential and hooks belong
// to each server.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Command, type GitWorker, gitWorker } from "./git-worker.ts";

export interface GitServer {
  origin: string;
  /** Makes a bare repository, and returns its address. */
  create(): string;
  /** The password that a request needs; null: none is asked for. */
  token: string | null;
  /** Lines of "METHOD /path", as they came. */
  requests: string[];
  /** Called before a request is answered. */
  meanwhile: ((line: string) => Promise<void> | void) | null;
  /** Called once the server has done what was asked, and before its answer is whole. */
  afterwards: ((line: string) => Promise<void> | void) | null;
  /** Answers every request with this status, where it is set. */
  status: number | null;
  /** The folder of a repository. */
  folderOf(url: string): string;
  /** A program in a folder. */
  git(folder: string, args: string[], input?: string, env?: Record<string, string>): string;
  /** Several commands, in one shell. */
  shell(folder: string, commands: string, ...args: string[]): string;
  /** For a command that talks to the server: a test that blocks answers no request. */
  gitBeside(folder: string, args: string[]): Promise<string>;
  close(): Promise<void>;
}

const passwordIn = (authorization: string): string | undefined => {
  const [, given = ""] = /^Basic (.*)$/.exec(authorization) ?? [];
  return Buffer.from(given, "base64").toString().split(":")[1];
};

let servers = 0;
export async function startGitServer(): Promise<GitServer> {
  const worker: GitWorker = await gitWorker();
  const name = `s${++servers}`;
  const { origin, root, runSync } = worker;
  let count = 0;
  const gitCommand = (cwd: string, args: string[], env: Record<string, string> = {}): Command => ({
    program: "git",
    args,
    cwd,
    env,
  });
  const self: GitServer = {
    origin,
    token: "a-token",
    requests: [],
    meanwhile: null,
    afterwards: null,
    status: null,
    create() {
      const path = `${name}/r${++count}.git`;
      runSync(gitCommand(root, ["init", "-q", "--bare", "--template=", path]));
      return `${origin}/${path}`;
    },
    folderOf: (url) => join(root, new URL(url).pathname),
    git: (folder, args, input, env) =>
      runSync({ ...gitCommand(folder, args, env), ...(input !== undefined && { input }) }),
    shell: (folder, commands, ...args) =>
      runSync({ program: "sh", args: ["-ec", commands, "sh", ...args], cwd: folder, env: {} }),
    gitBeside: (folder, args) => worker.run(gitCommand(folder, args)),
    async close() {
      worker.handlers.delete(name);
      rmSync(join(root, name), { recursive: true, force: true });
    },
  };
  mkdirSync(join(root, name));
  worker.handlers.set(name, {
    async begin(line, authorization) {
      self.requests.push(line);
      await self.meanwhile?.(line);
      if (self.status !== null) return self.status;
      return self.token !== null && passwordIn(authorization) !== self.token ? 401 : 0;
    },
    end: async (line) => self.afterwards?.(line),
  });
  return self;
}

/** A working copy in which somebody else works, with their own git. */
export function cloneOf(server: GitServer, url: string) {
  const folder = mkdtempSync(join(tmpdir(), "svc-clone-"));
  const bare = server.folderOf(url);
  server.shell(folder, 'git clone -q --template= "$1" .; git checkout -q -B main', bare);
  return {
    folder,
    run: (...args: string[]) => server.git(folder, args),
    write(path: string, text: string | Buffer) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    /** Everything as it lies there, to the server. */
    push(message = "Change", ...options: string[]) {
      const commit = 'git add -A; git commit -q --allow-empty -m "$1"; shift';
      return server
        .shell(folder, `${commit}; git push -q "$@" origin main; git rev-parse HEAD`, message, ...options)
        .trim();
    },
    pull() {
      server.shell(folder, "git fetch -q origin; git reset -q --hard origin/main");
    },
    /** Paths of what is committed, as the server has it. */
    files: () => server.git(bare, ["ls-tree", "-r", "--name-only", "-z", "main"]).split("\0").filter(Boolean),
    read: (path: string) => server.git(bare, ["show", `main:${path}`]),
    commits: () => Number(server.git(bare, ["rev-list", "--count", "main"]).trim()),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
