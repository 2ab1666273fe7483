// Thread of the Git library: unpacking occupies a processor for seconds and must not block requests. It has one
// repository at a time in memory, for one run.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort } from "node:worker_threads";
import git, { type HttpClient, type TreeEntry } from "isomorphic-git";
import { RepositoryFault } from "./fault.ts";
import { memoryFiles } from "./memory-files.ts";
import {
  type Calls,
  type FileChange,
  type FromThread,
  handedOver,
  type RepositoryEntry,
  type Request,
  type Response,
  type ToThread,
} from "./messages.ts";
import { commitOf, type GitObject, isDone, objectOf, pushOf, treeOf } from "./objects.ts";
import { MOST_PACK } from "./pack-limits.ts";

const port = parentPort as NonNullable<typeof parentPort>;
const MOST_ENTRIES = 20_000;
const MOST_DEPTH = 64;
/** Clock skew between committers: a commit may appear this much older than its parent. */
const SKEW_SECONDS = 86_400;
/** Number of commits fetched if the server cannot select by time, or all of them are older. */
const LOOKED_AT = 50;

/** Connects only through the `http` client in its options. */
const fetchPack = git.fetch;
const tell = (message: FromThread, given: ArrayBuffer[] = []) => port.postMessage(message, given);
// The library leaves buffers outside of the heap that do not trigger the garbage collector: 5,000 files retain 100 MB
// needlessly.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const waiting = new Map<number, (answer: Response) => void>();
let asked = 0;
const ask = (request: Request) =>
  new Promise<Response>((resolve) => {
    asked += 1;
    waiting.set(asked, resolve);
    tell({ request: asked, asked: request }, handedOver(request.body));
  });

const http: HttpClient = {
  async request({ url, method = "GET", headers = {}, body }) {
    const sent: Uint8Array[] = [];
    if (body) for await (const piece of body) sent.push(piece);
    const answer = await ask({
      url,
      method: method as Request["method"],
      headers,
      body: sent.length > 0 ? Buffer.concat(sent) : null,
    });
    if ("fault" in answer) throw new RepositoryFault(answer.fault as never);
    const { status, body: came } = answer;
    const pieces = (async function* () {
      yield came;
    })();
    return { url, method, statusCode: status, statusMessage: String(status), headers: answer.headers, body: pieces };
  },
};

const emptyPlace = () => ({ fs: memoryFiles(), gitdir: "/repository", cache: {} });
let url = "";
let place = emptyPlace();
let ready: Promise<void> = Promise.resolve();
function begin(next: string | null): void {
  place = emptyPlace();
  written.clear();
  made.clear();
  unswept = 0;
  if (next === null) {
    collect();
    return;
  }
  url = next;
  ready = git
    .init({ ...place, bare: true, defaultBranch: "main" })
    .then(() => git.addRemote({ ...place, remote: "origin", url }));
}
const refOf = (branch: string) => `refs/heads/${branch}`;

/** Number of files after which garbage is collected. */
const SWEPT = 50;
let unswept = 0;
function sweep(files: number): void {
  unswept += files;
  if (unswept < SWEPT) return;
  unswept = 0;
  collect();
}
/** Files of the next commit, by path relative to the folder. */
const written = new Map<string, string | null>();
/** Objects that the server does not have. */
const made = new Map<string, GitObject>();
const keep = (object: GitObject) => {
  made.set(object.oid, object);
  return object.oid;
};

const calls: { [Name in keyof Calls]: (input: Parameters<Calls[Name]>[0]) => Promise<ReturnType<Calls[Name]>> } = {
  async head({ branch }) {
    const refs = await git.listServerRefs({ http, url, prefix: "refs/", protocolVersion: 1 });
    return { commit: refs.find(({ ref }) => ref === refOf(branch))?.oid ?? null, empty: refs.length === 0 };
  },

  async pull({ branch, since }) {
    const get = (bounds: { depth: number } | { since: Date }) =>
      fetchPack({
        ...place,
        http,
        url,
        ...bounds,
        // Called at each percent of the objects.
        onProgress: ({ total }) => sweep(total / 100),
        remote: "origin",
        ref: branch,
        remoteRef: branch,
        singleBranch: true,
        tags: false,
      });
    const after = since && new Date((since.committed_at - SKEW_SECONDS) * 1000);
    let fetchHead = after ? await newest(() => get({ since: after })) : null;
    // If the server cannot select by time, or all commits are older, its answer looks empty to the library.
    fetchHead ??= (await get({ depth: since ? LOOKED_AT : 1 })).fetchHead;
    if (!fetchHead) throw new RepositoryFault("branch_missing");
    collect();
    const { commit } = await git.readCommit({ ...place, oid: fetchHead });
    const continues = since === null || (await reaches(fetchHead, since.commit));
    return { commit: fetchHead, committed_at: commit.committer.timestamp, continues };
  },

  async list({ commit, folder }) {
    const entries: RepositoryEntry[] = [];
    const walk = async (oid: string, above: string, depth: number) => {
      const { tree } = await git.readTree({ ...place, oid });
      for (const { path: name, oid, mode, type } of tree) {
        const path = above + name;
        if (type === "tree" && depth < MOST_DEPTH) await walk(oid, `${path}/`, depth + 1);
        else if (type !== "tree") entries.push({ path, oid, kind: type === "commit" ? "module" : kindOf(mode) });
        if (entries.length > MOST_ENTRIES) throw new RepositoryFault("repository_too_large");
      }
    };
    const top = await treeAt(commit, folder);
    if (top) await walk(top, "", 0);
    return entries;
  },

  async read({ oids, most }) {
    const found: (Uint8Array | null)[] = [];
    for (const oid of oids) {
      const { blob } = await git.readBlob({ ...place, oid });
      found.push(blob.length > most ? null : blob);
      sweep(1);
    }
    return found;
  },

  async write({ changes }: { changes: FileChange[] }) {
    sweep(changes.length);
    return changes.map(({ path, bytes }) => {
      const oid = bytes && keep(objectOf("blob", bytes));
      written.set(path, oid);
      return oid;
    });
  },

  async push({ branch, parent, folder, message, email }) {
    const base = parent && (await git.readCommit({ ...place, oid: parent }));
    const changes = [...written].map(([path, oid]) => ({ path: folder ? `${folder}/${path}` : path, oid }));
    const tree = (await treeWith(base ? base.commit.tree : null, changes)) ?? keep(treeOf([]));
    const committed_at = Math.max(Math.floor(Date.now() / 1000), base ? base.commit.committer.timestamp : 0);
    const commit = keep(commitOf({ tree, parent, author: `svc <${email}>`, committed_at, message }));
    const receiving = { http, url, prefix: "refs/", protocolVersion: 1 as const, forPush: true };
    const at = (await git.listServerRefs(receiving)).find(({ ref }) => ref === refOf(branch))?.oid ?? null;
    if (at !== parent) return null;
    // The server compares the parent again when it moves the branch.
    const sent = pushOf(refOf(branch), parent, commit, [...made.values()]);
    made.clear();
    if (sent.length > MOST_PACK) throw new RepositoryFault("repository_too_large");
    const answer = await ask({
      url: `${url}/git-receive-pack`,
      method: "POST",
      headers: {
        "content-type": "application/x-git-receive-pack-request",
        accept: "application/x-git-receive-pack-result",
      },
      body: sent,
    });
    if ("fault" in answer) throw new RepositoryFault(answer.fault as never);
    if (answer.status !== 200) throw new RepositoryFault(faultOfStatus(answer.status) as never);
    if (isDone(Buffer.from(answer.body), refOf(branch))) return { commit, committed_at };
    // Refused, perhaps because another push came first: then the branch has moved.
    if ((await calls.head({ branch })).commit !== parent) return null;
    throw new RepositoryFault("push_refused");
  },
};

/** The fetched commit; null if the server's answer cannot be used. */
async function newest(get: () => Promise<{ fetchHead: string | null }>): Promise<string | null> {
  try {
    const { fetchHead } = await get();
    return fetchHead && (await git.readCommit({ ...place, oid: fetchHead })).oid;
  } catch (error) {
    if (faultOf(error) !== "server_unsupported") throw error;
    return null;
  }
}

const kindOf = (mode: string): RepositoryEntry["kind"] => (mode === "120000" ? "link" : "file");

/** Whether a commit is an ancestor of another, within the fetched commits. */
async function reaches(from: string, to: string): Promise<boolean> {
  const seen = new Set<string>();
  for (const next = [from]; next.length > 0; ) {
    const oid = next.pop() as string;
    if (oid === to) return true;
    if (seen.has(oid)) continue;
    seen.add(oid);
    const found = await git.readCommit({ ...place, oid }).catch(() => null);
    next.push(...(found?.commit.parent ?? []));
  }
  return false;
}

async function treeAt(oid: string, folder: string): Promise<string | null> {
  let at = (await git.readCommit({ ...place, oid })).commit.tree;
  for (const name of folder.split("/").filter((part) => part !== "")) {
    const { tree } = await git.readTree({ ...place, oid: at });
    const found = tree.find(({ path, type }) => path === name && type === "tree");
    if (!found) return null;
    at = found.oid;
  }
  return at;
}

type Written = { path: string; oid: string | null }[];
/**
 * The tree with these files added, or removed if they have no id; null if nothing is left. Other entries stay
 * unchanged.
 */
async function treeWith(oid: string | null, changes: Written): Promise<string | null> {
  const entries = new Map<string, TreeEntry>();
  if (oid) for (const entry of (await git.readTree({ ...place, oid })).tree) entries.set(entry.path, entry);
  const folders = new Map<string, Written>();
  for (const { path, oid } of changes) {
    const slash = path.indexOf("/");
    if (slash >= 0) {
      const within = folders.get(path.slice(0, slash)) ?? [];
      folders.set(path.slice(0, slash), [...within, { path: path.slice(slash + 1), oid }]);
    } else if (oid === null) entries.delete(path);
    else entries.set(path, { path, oid, mode: entries.get(path)?.mode ?? "100644", type: "blob" });
  }
  for (const [path, within] of folders) {
    const before = entries.get(path);
    const made = await treeWith(before?.type === "tree" ? before.oid : null, within);
    if (made) entries.set(path, { path, oid: made, mode: "040000", type: "tree" });
    else entries.delete(path);
  }
  return entries.size > 0 ? keep(treeOf([...entries.values()])) : null;
}

/** Maps the library's error codes; the server's text goes only to the log. */
function faultOf(error: unknown): string {
  if (error instanceof RepositoryFault) return error.code;
  const { code, data } = error as { code?: string; data?: { statusCode?: number } };
  if (code === "HttpError") return faultOfStatus(data?.statusCode ?? 0);
  if (code === "UnsafeFilepathError") return "unsafe_name";
  return "server_unsupported";
}

function faultOfStatus(status: number): string {
  if (status === 401 || status === 403) return "credential_refused";
  if (status === 404 || status === 410) return "repository_missing";
  if (status >= 300 && status < 400) return "repository_moved";
  return status === 429 || status >= 500 ? "unreachable" : "server_unsupported";
}

port.on("message", async (message: ToThread) => {
  if ("repository" in message) return begin(message.repository);
  if ("response" in message) {
    waiting.get(message.response)?.(message.answer);
    waiting.delete(message.response);
    return;
  }
  try {
    await ready;
    tell({ answer: message.call, result: await calls[message.name](message.input as never) });
  } catch (error) {
    tell({ answer: message.call, fault: faultOf(error), detail: String((error as Error).message).slice(0, 500) });
  }
});
