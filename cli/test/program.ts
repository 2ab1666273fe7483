// Runs svc for a test, with an environment that holds nothing of the developer's own. `svc` and `open` run its source
// as a function in the test's process, which takes a tenth of the processor time; `spawned` and `start` run the built
// program as a process, for tests of signals, pipes, terminals and file descriptors.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { cli, tokensFor } from "../../server/test/oauth.ts";
import type { Person, TestService, World } from "../../server/test/world.ts";
import { buildCli } from "../build/build.ts";
import { runSvc } from "../src/program.ts";
import type { Output, Runtime } from "../src/runtime.ts";

/** What it runs with: this Node, or the one that SVC_NODE names. */
export const node = process.env.SVC_NODE ?? process.execPath;

let built: Promise<string> | undefined;
/** Built once for the files of a worker. */
export function program(): Promise<string> {
  built ??= (() => {
    const folder = mkdtempSync(join(tmpdir(), "svc-cli-"));
    chmodSync(folder, 0o755);
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    return buildCli(folder);
  })();
  return built;
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}
interface Given {
  env?: Record<string, string | undefined>;
  stdin?: string;
  cwd?: string;
}
interface Opened {
  /** Gives svc one line more. */
  write(line: string): void;
  /** Ends standard input. */
  close(): void;
  /** Everything that svc has written to standard error so far, at each time more of it. */
  onError(listener: (shown: string) => void): void;
  end: Promise<Ended>;
}

export interface Home {
  dir: string;
  /** Where its profiles are. */
  config: string;
  env: Record<string, string | undefined>;
  svc(args: readonly string[], given?: Given): Promise<Ended>;
  /** Shows the output as a terminal of this width would, where nobody can answer a question. */
  svcAt(columns: number, args: readonly string[], given?: Given): Promise<Ended>;
  /** Runs svc while the test goes on: standard input stays open. */
  open(args: readonly string[], given?: Given): Opened;
  /** The same, and its output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for.
  json(args: readonly string[], given?: Given): Promise<Record<string, any>>;
  begin(command: string, args: readonly string[], given: Given): ChildProcess;
  /** The built program as a process; `uid` is another user than the one who runs the test, who may write everywhere. */
  spawned(args: readonly string[], given?: Given & { uid?: number }): Promise<Ended>;
  start(args: readonly string[], given?: Given): Promise<ChildProcess>;
  run(command: string, args: readonly string[], given?: Given): Promise<Ended>;
}

/** util-linux has a program that makes a pseudo-terminal; others call another one by the same name. */
export const hasScript = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

/** A home directory of its own, in which nobody is signed in. */
export function newHome(env: Record<string, string | undefined> = {}): Home {
  const dir = mkdtempSync(join(tmpdir(), "svc-home-"));
  // A process that is not waited for may still be writing there.
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 10 }));
  const config = join(dir, ".config", "svc");
  const own = { PATH: process.env.PATH, HOME: dir, SVC_KEYCHAIN: "off", GIT_CONFIG_NOSYSTEM: "1", ...env };
  const begin = (command: string, args: readonly string[], { env: more, cwd = dir, uid }: Given & { uid?: number }) =>
    spawn(command, args, { cwd, uid, env: { ...own, ...more } as NodeJS.ProcessEnv, stdio: ["pipe", "pipe", "pipe"] });
  const run = (command: string, args: readonly string[], given: Given & { uid?: number } = {}) => {
    const child = begin(command, args, given);
    child.stdin.on("error", () => {});
    child.stdin.end(given.stdin ?? "");
    return ended(child);
  };
  /** Somebody else may not be let into the folder that this Node is in. */
  const nodeFor = ({ uid }: { uid?: number } = {}) => {
    if (uid === undefined) return node;
    const own = join(dir, "node");
    copyFileSync(node, own);
    chmodSync(own, 0o755);
    return own;
  };
  const home: Home = {
    dir,
    config,
    env: own,
    begin,
    run,
    svc: (args, given) => inProcess(args, dir, own, given),
    svcAt: (columns, args, given) => inProcess(args, dir, own, given, columns),
    open: (args, given) => opened(args, dir, own, given),
    spawned: async (args, given) => run(nodeFor(given), [await program(), ...args], given),
    start: async (args, given = {}) => begin(node, [await program(), ...args], given),
    async json(args, given) {
      const { code, out, err } = await home.svc([...args, "--json", "all"], given);
      if (code !== 0) throw new Error(`svc ${args.join(" ")} ended with ${code}: ${err}`);
      return JSON.parse(out);
    },
  };
  return home;
}

type Env = Record<string, string | undefined>;

/** The streams, folder and environment of one run in the test's process. */
function runtimeOf(dir: string, own: Env, { env = {}, stdin = "", cwd = dir }: Given, columns?: number) {
  const shown = { out: "", err: "" };
  const collect = (name: keyof typeof shown): Output => {
    const stream = new PassThrough();
    stream.setEncoding("utf8").on("data", (text) => {
      shown[name] += text;
    });
    return Object.assign(stream, columns !== undefined && { isTTY: true, columns });
  };
  const all = Object.entries({ ...own, ...env }).filter(([, value]) => value !== undefined);
  const runtime: Runtime = {
    env: Object.fromEntries(all),
    cwd,
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: collect("out"),
    stderr: collect("err"),
    readInput: () => Buffer.from(stdin),
    // Signals reach processes; a test of them starts one.
    onSignals: () => () => {},
    startDetached() {
      throw new Error("svc starts itself again only as a process.");
    },
    endAfter() {},
    startedAt: performance.now(),
  };
  return { runtime, shown };
}
async function endOf(args: readonly string[], { runtime, shown }: ReturnType<typeof runtimeOf>): Promise<Ended> {
  const code = await runSvc(args, runtime);
  // The streams have passed on everything once they have ended.
  await Promise.all(
    [runtime.stdout, runtime.stderr].map(
      (stream) => new Promise((resolve) => void stream.once("close", resolve).end()),
    ),
  );
  return { code, ...shown };
}
const inProcess = (args: readonly string[], dir: string, own: Env, given: Given = {}, columns?: number) =>
  endOf(args, runtimeOf(dir, own, given, columns));

function opened(args: readonly string[], dir: string, own: Env, given: Given = {}): Opened {
  const run = runtimeOf(dir, own, given);
  const stdin = new PassThrough();
  run.runtime.stdin = stdin;
  return {
    write: (line) => void stdin.write(`${line}\n`),
    close: () => void stdin.end(),
    onError: (listener) => void run.runtime.stderr.on("data", () => listener(run.shown.err)),
    end: endOf(args, run),
  };
}

export function ended(child: ChildProcess): Promise<Ended> {
  const parts: Record<"out" | "err", Buffer[]> = { out: [], err: [] };
  child.stdout?.on("data", (chunk) => parts.out.push(chunk));
  child.stderr?.on("data", (chunk) => parts.err.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ code, out: Buffer.concat(parts.out).toString(), err: Buffer.concat(parts.err).toString() }),
    );
  });
}

/** A home in which this person is signed in, as `svc login` leaves it. */
export async function signedIn(
  running: TestService,
  { owner, workspaceId }: Pick<World, "owner" | "workspaceId">,
  options: { name?: string; expired?: true; scope?: string; home?: Home } = {},
): Promise<Home> {
  const { name = "test", expired, scope = "svc:read svc:write", home = newHome() } = options;
  const tokens = await tokensFor(running, { owner, workspaceId }, cli, { scope });
  const [{ slug, name: title } = { slug: "", name: "" }] = await running.sql<{ slug: string; name: string }>(
    "select slug, name from workspaces where id = $1",
    [workspaceId],
  );
  mkdirSync(join(home.config, "profiles"), { recursive: true });
  writeFileSync(
    join(home.config, "profiles", `${name}.json`),
    JSON.stringify({
      url: running.url,
      workspace: { id: workspaceId, slug, name: title },
      tokens: { ...tokens, expires_at: expired ? 0 : Date.now() + tokens.expires_in * 1000 },
    }),
  );
  writeFileSync(join(home.config, "current"), name);
  return home;
}

/** Another Workspace that this person belongs to. */
export async function alsoMemberOf(running: TestService, other: World, { userId }: Person): Promise<void> {
  const stand = await other.member("member");
  const change = "update memberships set user_id = $1 where workspace_id = $2 and user_id = $3";
  await running.sql(change, [userId, other.workspaceId, stand.userId]);
}
