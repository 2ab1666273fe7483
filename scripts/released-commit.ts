// Finds the commit that released a version, with or without tags: clones often have none.
import { execFileSync } from "node:child_process";

/**
 * `version` is a version (0.10.0 or v0.10.0) or anything else that git resolves. Null if the history does not contain
 * it.
 */
export function releasedCommit(repository: string, version: string): string | null {
  const git = (...args: string[]): string => {
    try {
      return execFileSync("git", args, {
        cwd: repository,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    } catch {
      return "";
    }
  };
  const resolved = git("rev-parse", "--verify", "--quiet", `${version}^{commit}`);
  const [, number] = /^v?(\d+\.\d+\.\d+)$/.exec(version) ?? [];
  if (resolved || !number) return resolved || null;
  const hasVersion = (commit: string) => git("show", `${commit}:package.json`).includes(`"version": "${number}"`);
  // A release adds its rows. The second query covers a version whose rows were added later: its last commit is the
  // parent of the next version.
  const rows = git("log", "--diff-filter=A", "--format=%H", "--", `server/test/releases/${number}.sql`).split("\n");
  const edits = git("log", "-S", `"version": "${number}"`, "--format=%H%n%P", "--", "package.json").split(/\s+/);
  return [...rows, ...edits].find((commit) => commit !== "" && hasVersion(commit)) ?? null;
}
