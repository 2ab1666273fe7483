// Finds git with its HTTP server for the tests of the knowledge repository: the service itself needs neither. Nothing
// is downloaded.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The path of `git http-backend`, or null. */
export function findGit() {
  try {
    const backend = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-http-backend");
    return existsSync(backend) ? backend : null;
  } catch {
    return null;
  }
}

export const HOW_TO_GET_GIT = "install it (Debian: apt-get install git)";
