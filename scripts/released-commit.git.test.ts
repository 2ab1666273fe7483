// npm run upgrade:try finds a version in a clone without tags.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { releasedCommit } from "./released-commit.ts";

const repository = mkdtempSync(join(tmpdir(), "svc-history-"));
afterAll(() => rmSync(repository, { recursive: true, force: true }));
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
    cwd: repository,
    encoding: "utf8",
  }).trim();
function commit(version: string, withRows: string[] = []): string {
  writeFileSync(join(repository, "package.json"), `{\n  "version": "${version}"\n}\n`);
  for (const each of withRows) writeFileSync(join(repository, `server/test/releases/${each}.sql`), each);
  writeFileSync(join(repository, "count"), String(Math.random()));
  git("add", "-A");
  git("commit", "-q", "-m", "change");
  return git("rev-parse", "HEAD");
}

test("a version is found by its tag, by the commit that released it, or by its last commit", () => {
  git("init", "-q");
  mkdirSync(join(repository, "server/test/releases"), { recursive: true });
  const first = commit("0.1.0", ["0.1.0"]);
  commit("0.1.0");
  commit("0.2.0");
  const lastOfSecond = commit("0.2.0");
  const third = commit("0.3.0", ["0.2.0", "0.3.0"]);
  commit("0.3.0");
  expect(releasedCommit(repository, "0.1.0"), "released with its rows").toBe(first);
  expect(releasedCommit(repository, "v0.1.0")).toBe(first);
  expect(releasedCommit(repository, "0.2.0"), "rows added by a later version").toBe(lastOfSecond);
  expect(releasedCommit(repository, "0.3.0")).toBe(third);
  expect(releasedCommit(repository, "0.4.0"), "not in the history").toBeNull();
  expect(releasedCommit(repository, first.slice(0, 10)), "a commit").toBe(first);
  expect(releasedCommit(repository, "no-such-branch")).toBeNull();
  git("tag", "v0.1.0", lastOfSecond);
  expect(releasedCommit(repository, "v0.1.0"), "the tag decides").toBe(lastOfSecond);
});
