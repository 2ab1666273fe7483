// node scripts/changed-files.ts [base]: prints the selection of changed-tests.ts for the difference between the working
// tree and a base as JSON. Uncommitted and untracked files count. The base is the merge base with main; on main itself
// its upstream, or else the last commit.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { durationOnOperations, withinBudget } from "./changed-budget.ts";
import { operationsOfChange, weightOf } from "./changed-operations.ts";
import { domainsOfTables, testsOfBuilds, testsOfChange } from "./changed-tests.ts";
import { root } from "./install.mjs";
import { workersFor } from "./test-durations.mjs";

const git = (...command: string[]) =>
  execFileSync("git", command, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "ignore"],
  });
const listed = (...command: string[]) =>
  git(...command, "-z")
    .split("\0")
    .filter(Boolean);

/** Merge base with the first of these revisions that exists. */
function mergeBase(...revisions: string[]): string {
  for (const revision of revisions)
    try {
      return git("merge-base", "HEAD", revision).trim();
    } catch {}
  throw new Error(`none of ${revisions.join(", ")} is a revision with a common ancestor`);
}

function changedSince(given: string | undefined): { base: string; changed: string[] } {
  const isMain = git("rev-parse", "--abbrev-ref", "HEAD").trim() === "main";
  const base = given
    ? mergeBase(given)
    : isMain
      ? mergeBase("@{upstream}", "HEAD~1")
      : mergeBase("main", "origin/main", "HEAD~1");
  const tracked = listed("diff", "--name-only", "--no-renames", base);
  return { base, changed: [...new Set([...tracked, ...listed("ls-files", "--others", "--exclude-standard")])].sort() };
}

/** Files that the selection reads: sources, tests and SQL. */
const readable = () =>
  listed("ls-files", "--cached", "--others", "--exclude-standard")
    .filter((path) => /\.(?:tsx?|mjs)$|^server\/migrations\/.*\.sql$/.test(path) && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

const { base, changed } = changedSince(process.argv[2]);
const files = readable();
const texts = new Map(files.map(({ path, text }) => [path, text]));
const operations = operationsOfChange(changed, files, (path) => domainsOfTables(texts.get(path) ?? "", files));
const selected = testsOfChange(changed, files);
const tests = withinBudget(selected, workersFor(), durationOnOperations(weightOf(operations)));
const needsBuild = testsOfBuilds(tests, files).length > 0;
const leftOut = selected.length - tests.length;
console.log(JSON.stringify({ base, files: changed.length, tests, leftOut, operations, needsBuild }));
