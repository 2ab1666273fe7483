// A copy of the repository with links to its packages, in which a test runs the scripts that write sources. The copy is
// removed after the test file.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll } from "vitest";
import { root } from "./operation-files-of.ts";

const LEFT_OUT = new Set(["node_modules", "dist", "data", ".git"]);

export function repositoryCopy() {
  const copy = mkdtempSync(join(tmpdir(), "svc-new-"));
  afterAll(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  /** Links the packages; links to the repository's own packages point into the copy. */
  const link = (target: string, path: string) => symlinkSync(target, path, "junction");
  mkdirSync(join(copy, "node_modules/@svc"), { recursive: true });
  for (const entry of readdirSync(join(root, "node_modules"), { withFileTypes: true }))
    if (entry.isDirectory() && !/^(?:@svc|\..*)$/.test(entry.name))
      link(join(root, "node_modules", entry.name), join(copy, "node_modules", entry.name));
  for (const name of readdirSync(join(root, "node_modules/@svc")))
    link(join(copy, name), join(copy, "node_modules/@svc", name));
  if (existsSync(join(root, "server/node_modules")))
    link(join(root, "server/node_modules"), join(copy, "server/node_modules"));
  /**
   * Runs a command in the copy and captures both outputs, asynchronously, so that the worker still answers the test
   * runner.
   */
  const run = (...command: string[]) =>
    new Promise<{ status: number | null; output: string }>((resolve) => {
      const child = execFile(process.execPath, command, { cwd: copy }, (_, stdout, stderr) =>
        resolve({ status: child.exitCode, output: stdout + stderr }),
      );
    });
  return { copy, run };
}

/** The file that starts an installed package. */
export const program = (name: string, bin: string) =>
  join(dirname(join(root, "node_modules", name, "package.json")), bin);
