// The Git side against a real server: what is fetched, listed, read and pushed, and what each refusal is called.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cloneOf, type GitServer, startGitServer } from "../../../../test/git-server.ts";
import { egressTo } from "../../../platform/outside/egress.ts";
import { type Git, openGit } from "./git.ts";

let server: GitServer;
const opened: Git[] = [];
beforeAll(async () => {
  server = await startGitServer();
});
afterEach(async () => void (await Promise.all(opened.splice(0).map((each) => each.close()))));
afterAll(() => server.close());
function open(url: string, credential: string | null = "a-token", allow = [server.origin]): Git {
  const opening = openGit(egressTo({ allow }), { url, username: null, credential });
  opened.push(opening);
  return opening;
}
const bytes = (text: string) => Buffer.from(text);
const pushing = { branch: "main", folder: "", message: "Made\n", email: "svc@example.com" };

test("an empty repository says so; the first push makes the branch, and a clone has exactly those files", async () => {
  const url = server.create();
  const git = open(url);
  expect(await git.head({ branch: "main" })).toEqual({ commit: null, empty: true });
  await git.write({
    changes: [
      { path: "a.md", bytes: bytes("A\n") },
      { path: "deep/er/b.md", bytes: bytes("B\n") },
    ],
  });
  const pushed = await git.push({ ...pushing, parent: null });
  const clone = cloneOf(server, url);
  expect(clone.files()).toEqual(["a.md", "deep/er/b.md"]);
  expect(clone.read("deep/er/b.md")).toBe("B\n");
  expect(clone.run("rev-parse", "HEAD").trim()).toBe(pushed?.commit);
  expect(await git.head({ branch: "main" })).toEqual({ commit: pushed?.commit, empty: false });
  expect(await git.head({ branch: "other" })).toEqual({ commit: null, empty: false });
  clone.run("fsck", "--strict");
  clone.remove();
});

test("files are listed with links and modules told apart, below a folder too, and read as far as they are small", async () => {
  const url = server.create();
  const clone = cloneOf(server, url);
  clone.write("docs/a.md", "A");
  clone.write("docs/large.md", "x".repeat(2000));
  clone.write("other/b.md", "B");
  symlinkSync("/etc/passwd", join(clone.folder, "docs/link.md"));
  const head = clone.push();
  const git = open(url);
  expect(await git.pull({ branch: "main", since: null })).toMatchObject({ commit: head, continues: true });
  const found = await git.list({ commit: head, folder: "docs" });
  expect(found.map(({ path, kind }) => [path, kind])).toEqual([
    ["a.md", "file"],
    ["large.md", "file"],
    ["link.md", "link"],
  ]);
  expect(await git.list({ commit: head, folder: "none" })).toEqual([]);
  const [small, large] = await git.read({ oids: found.slice(0, 2).map(({ oid }) => oid), most: 1000 });
  expect([Buffer.from(small as Uint8Array).toString(), large]).toEqual(["A", null]);
  clone.remove();
});

test("what was fetched and written for one repository is not there for the next one of the same thread", async () => {
  const [url, next] = [server.create(), server.create()];
  const clone = cloneOf(server, url);
  clone.write("a.md", "A");
  const head = clone.push();
  const git = open(url);
  await git.pull({ branch: "main", since: null });
  const oids = (await git.list({ commit: head, folder: "" })).map(({ oid }) => oid);
  await git.write({ changes: [{ path: "left.md", bytes: bytes("left") }] });
  await git.close();
  const other = open(next);
  await expect(other.read({ oids, most: 1000 })).rejects.toMatchObject({ code: "server_unsupported" });
  expect(await other.head({ branch: "main" })).toEqual({ commit: null, empty: true });
  await other.write({ changes: [{ path: "b.md", bytes: bytes("B") }] });
  await other.push({ ...pushing, parent: null });
  const made = cloneOf(server, next);
  expect(made.files()).toEqual(["b.md"]);
  for (const each of [clone, made]) each.remove();
});

describe("a thread", () => {
  let started = 0;
  const count = () => void started++;
  beforeEach(() => {
    started = 0;
    process.on("worker", count);
  });
  afterEach(() => void process.off("worker", count));
  const head = (git: Git) => git.head({ branch: "main" });

  test("serves one repository after another, and another one while the first is busy", async () => {
    const url = server.create();
    for (let run = 0; run < 3; run++) {
      const git = open(url);
      await head(git);
      await git.close();
    }
    expect(started).toBeLessThanOrEqual(1);
    const [one, other] = [open(url), open(url)];
    expect(await Promise.all([head(one), head(other)])).toHaveLength(2);
    expect(started).toBeGreaterThan(0);
  });
  test("ends with its repository if a call is under way or a request failed unexpectedly", async () => {
    const url = server.create();
    const busy = open(url);
    const asked = head(busy).catch((error: Error) => error);
    await busy.close();
    expect(await asked).toMatchObject({ code: "internal" });
    const failing = openGit(
      Object.assign(() => Promise.reject(new Error("unexpected")), egressTo({ allow: [] })),
      {
        url,
        username: null,
        credential: null,
      },
    );
    await expect(head(failing)).rejects.toThrow("unexpected");
    await failing.close();
    const before = started;
    await head(open(url));
    expect(started).toBe(before + 1);
  });
});

test("a push changes what it names and nothing else, keeps what is executable, and removes folders that are empty", async () => {
  const url = server.create();
  const clone = cloneOf(server, url);
  for (const path of ["docs/a.md", "docs/gone/b.md", "README", "bin/run"]) clone.write(path, path);
  clone.run("add", "-A");
  clone.run("update-index", "--chmod=+x", "bin/run", "docs/a.md");
  clone.run("commit", "-qm", "first");
  clone.run("push", "-q", "origin", "main");
  const head = clone.run("rev-parse", "HEAD").trim();
  const git = open(url);
  await git.pull({ branch: "main", since: null });
  await git.write({
    changes: [
      { path: "a.md", bytes: bytes("changed") },
      { path: "gone/b.md", bytes: null },
    ],
  });
  await git.push({ ...pushing, folder: "docs", parent: head });
  clone.pull();
  expect(
    clone
      .run("ls-tree", "-r", "HEAD")
      .trim()
      .split("\n")
      .map((line) => line.replace(/ .*\t/, " ")),
  ).toEqual(["100644 README", "100755 bin/run", "100755 docs/a.md"]);
  expect(clone.run("log", "--format=%s %an %ae", "-1").trim()).toBe("Made svc svc@example.com");
  clone.run("fsck", "--strict");
  clone.remove();
});

test("a branch that has moved on is not pushed over", async () => {
  const url = server.create();
  const clone = cloneOf(server, url);
  clone.write("a.md", "A");
  const head = clone.push();
  const git = open(url);
  await git.pull({ branch: "main", since: null });
  await git.write({ changes: [{ path: "b.md", bytes: bytes("B") }] });
  clone.write("c.md", "C");
  const theirs = clone.push();
  expect(await git.push({ ...pushing, parent: head })).toBeNull();
  expect(server.git(server.folderOf(url), ["rev-parse", "main"]).trim()).toBe(theirs);
  clone.remove();
});

test("a branch that moves between the look and the push is not pushed over either", async () => {
  const url = server.create();
  const clone = cloneOf(server, url);
  clone.write("a.md", "A");
  const head = clone.push();
  const git = open(url);
  await git.pull({ branch: "main", since: null });
  await git.write({ changes: [{ path: "b.md", bytes: bytes("B") }] });
  let theirs = "";
  server.meanwhile = (line) => {
    if (!line.startsWith("POST") || theirs) return;
    clone.write("c.md", "C");
    theirs = clone.push();
  };
  expect(await git.push({ ...pushing, parent: head })).toBeNull();
  server.meanwhile = null;
  expect(theirs).not.toBe("");
  expect(server.git(server.folderOf(url), ["rev-parse", "main"]).trim()).toBe(theirs);
  clone.remove();
});

test("whether the branch still leads back to a commit is known without its whole history", async () => {
  const url = server.create();
  const clone = cloneOf(server, url);
  clone.write("a.md", "A");
  const first = clone.push();
  const known = { commit: first, committed_at: Number(clone.run("log", "-1", "--format=%ct").trim()) };
  for (const text of ["B", "C", "D"]) {
    clone.write("a.md", text);
    clone.push();
  }
  const since = known;
  expect(await open(url).pull({ branch: "main", since })).toMatchObject({ continues: true });
  clone.run("checkout", "-q", "--orphan", "new");
  clone.run("commit", "-qm", "Other");
  clone.run("push", "-qf", "origin", "new:main");
  expect(await open(url).pull({ branch: "main", since })).toMatchObject({ continues: false });
  // Back to what is older than anything that was asked for.
  const old = { GIT_COMMITTER_DATE: "2001-01-01T00:00:00Z", GIT_AUTHOR_DATE: "2001-01-01T00:00:00Z" };
  server.git(clone.folder, ["commit", "-q", "--amend", "-m", "Old"], undefined, old);
  clone.run("push", "-qf", "origin", "new:main");
  expect(await open(url).pull({ branch: "main", since })).toMatchObject({ continues: false });
  clone.remove();
});

test("each refusal of the server has a code of its own, and what the server said is not in it", async () => {
  const url = server.create();
  const head = (git: Git) => git.head({ branch: "main" });
  await expect(head(open(url, "wrong"))).rejects.toMatchObject({ code: "credential_refused" });
  await expect(head(open(url, null))).rejects.toMatchObject({ code: "credential_refused" });
  await expect(head(open(`${server.origin}/none.git`))).rejects.toMatchObject({ code: "repository_missing" });
  for (const [status, code] of [
    [301, "repository_moved"],
    [403, "credential_refused"],
    [429, "unreachable"],
    [503, "unreachable"],
    [418, "server_unsupported"],
    [200, "server_unsupported"],
  ] as const) {
    server.status = status;
    await expect(head(open(url)), String(status)).rejects.toMatchObject({ code });
  }
  server.status = null;
  await expect(head(open(url, "a-token", []))).rejects.toMatchObject({ code: "address_refused" });
  await expect(head(open("http://127.0.0.1:1/none.git", null, ["http://127.0.0.1:1"]))).rejects.toMatchObject({
    code: "unreachable",
  });
  const closed = cloneOf(server, url);
  closed.write("a.md", "A");
  const parent = closed.push();
  mkdirSync(join(server.folderOf(url), "hooks"), { recursive: true });
  writeFileSync(join(server.folderOf(url), "hooks/pre-receive"), "#!/bin/sh\necho secret >&2\nexit 1\n", {
    mode: 0o755,
  });
  const git = open(url);
  await git.pull({ branch: "main", since: null });
  await git.write({ changes: [{ path: "b.md", bytes: bytes("B") }] });
  await expect(git.push({ ...pushing, parent })).rejects.toMatchObject({
    code: "push_refused",
    message: "push_refused",
  });
  closed.remove();
});

// Other bounds: pack-limits.test.ts, and a pack that is too large as it comes: large-pack.slow.git.test.ts.
test("a pack that would be too large once it is unpacked is refused with a code of its own", async () => {
  const url = server.create();
  const clone = cloneOf(server, url);
  clone.write("large.bin", Buffer.alloc(33 * 1024 * 1024));
  clone.push();
  await expect(open(url).pull({ branch: "main", since: null })).rejects.toMatchObject({ code: "repository_too_large" });
  clone.remove();
});
