// A real Git server for tests: `git http-backend` behind node:http on loopback, which asks for a credential, and a real clone on the other side.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findGit } from "../../scripts/git.mjs";

export interface GitServer {
  origin: string;
  /** Of a new bare repository. */
  create(name?: string): string;
  /** What is asked for; null: nothing is. */
  token: string | null;
  /** Lines of "METHOD /path", as they came. */
  requests: string[];
  /** Called before a request is answered: what happens in between. */
  meanwhile: ((line: string) => Promise<void> | void) | null;
  /** Called once the server has done what was asked, and before its answer is whole. */
  afterwards: ((line: string) => Promise<void> | void) | null;
  /** Answered in place of everything, where it is set. */
  status: number | null;
  /** The folder that a repository lies in. */
  folderOf(url: string): string;
  close(): Promise<void>;
}

const environment = {
  PATH: process.env.PATH ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  ...{ GIT_AUTHOR_NAME: "Kim", GIT_AUTHOR_EMAIL: "kim@example.com", GIT_COMMITTER_NAME: "Kim" },
  ...{ GIT_COMMITTER_EMAIL: "kim@example.com", GIT_TERMINAL_PROMPT: "0" },
};
const run = (program: string, cwd: string, args: string[], input?: string, env: Record<string, string> = {}): string =>
  execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    env: { ...environment, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    maxBuffer: 256 * 1024 * 1024,
    ...(input !== undefined && { input }),
  });
export const git = (folder: string, args: string[], input?: string, env: Record<string, string> = {}): string =>
  run("git", folder, args, input, env);
/** Several commands from one shell: to start a program takes the longer the more memory the process has that starts it. */
const inTurn = (folder: string, commands: string, ...args: string[]) =>
  run("sh", folder, ["-ec", commands, "sh", ...args]);

export async function startGitServer(): Promise<GitServer> {
  const backend = findGit() as string;
  const root = mkdtempSync(join(tmpdir(), "svc-git-"));
  let count = 0;
  const server = createServer(async (request, response) => {
    const line = `${request.method} ${request.url}`;
    self.requests.push(line);
    await self.meanwhile?.(line);
    if (self.status !== null) return void response.writeHead(self.status).end();
    const [, given = ""] = /^Basic (.*)$/.exec(request.headers.authorization ?? "") ?? [];
    if (self.token !== null && Buffer.from(given, "base64").toString().split(":")[1] !== self.token)
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    answer(backend, root, request, response, async () => self.afterwards?.(line));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const self: GitServer = {
    ...{ origin, token: "a-token", requests: [], meanwhile: null, afterwards: null, status: null },
    create(name = `r${++count}.git`) {
      inTurn(root, 'git init -q --bare -b main "$1"; git -C "$1" config http.receivepack true', name);
      return `${origin}/${name}`;
    },
    folderOf: (url) => join(root, new URL(url).pathname),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
  return self;
}

/** What CGI says: headers, an empty line, the body. */
function answer(
  backend: string,
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  done: () => Promise<void>,
) {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const child = spawn(backend, [], {
    env: {
      ...environment,
      ...{ GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: "1", REMOTE_USER: "kim", REQUEST_METHOD: request.method ?? "" },
      ...{ PATH_INFO: pathname, QUERY_STRING: search.slice(1), CONTENT_TYPE: request.headers["content-type"] ?? "" },
      ...(request.headers["git-protocol"] && { GIT_PROTOCOL: String(request.headers["git-protocol"]) }),
    },
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => {});
  let head = Buffer.alloc(0);
  let begun = false;
  child.stdout.on("data", (bytes: Buffer) => {
    if (begun) return void response.write(bytes);
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    begun = true;
    for (const line of head.toString("latin1", 0, end).split("\r\n")) {
      const [name = "", value = ""] = line.split(": ");
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  child.on("close", async () => {
    await done();
    response.end();
  });
}

/** A working copy in which somebody else works, with their own git. */
export function cloneOf(server: GitServer, url: string) {
  const folder = mkdtempSync(join(tmpdir(), "svc-clone-"));
  inTurn(folder, 'git clone -q "$1" .; git checkout -q -B main', server.folderOf(url));
  return {
    folder,
    run: (...args: string[]) => git(folder, args),
    write(path: string, text: string | Buffer) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    /** Everything as it lies there, to the server. */
    push(message = "Change", ...options: string[]) {
      const commit = 'git add -A; git commit -q --allow-empty -m "$1"; shift';
      return inTurn(folder, `${commit}; git push -q "$@" origin main; git rev-parse HEAD`, message, ...options).trim();
    },
    pull() {
      inTurn(folder, "git fetch -q origin; git reset -q --hard origin/main");
    },
    /** Paths of what is committed, as the server has it. */
    files: () => git(server.folderOf(url), ["ls-tree", "-r", "--name-only", "-z", "main"]).split("\0").filter(Boolean),
    read: (path: string) => git(server.folderOf(url), ["show", `main:${path}`]),
    commits: () => Number(git(server.folderOf(url), ["rev-list", "--count", "main"]).trim()),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
