// Brings node_modules in line with package-lock.json, comparing it with npm's own record of what it installed.
// Runs no package's install script, and does nothing when nothing is missing.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export function install() {
  if (isInstalled()) return;
  console.log("Installing packages (needed once, about a minute) ...");
  // npm must not run on the Node in the very directory that it replaces.
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((entry) => !/node_modules[/\\]\.bin[/\\]?$/.test(entry));
  const { status, error } = spawnSync(
    "npm",
    // Not `ci`: it refuses a lock that lacks packages of other platforms, which not every registry has.
    ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    {
      cwd: root,
      env: { ...process.env, PATH: path.join(delimiter) },
      shell: process.platform === "win32",
      stdio: "inherit",
    },
  );
  if (status === 0) return;
  console.error(
    `Installing packages failed${error ? ` (${error.message})` : ""}; mend the cause above and start again`,
  );
  process.exit(1);
}

// The Node that the packages bring, so that the program runs on one version everywhere.
export function nodeProgram() {
  const brought = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");
  if (existsSync(brought)) return brought;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  console.error(
    `Node ${process.versions.node} is too old and npm has none for this platform; install Node 22.18 or newer`,
  );
  process.exit(1);
}

function isInstalled() {
  const wanted = packagesOf("package-lock.json");
  const present = packagesOf(join("node_modules", ".package-lock.json"));
  const same = (a, b) => a?.version === b?.version && a?.integrity === b?.integrity;
  return Object.entries(wanted).every(
    ([path, entry]) => path === "" || same(entry, present[path]) || (entry.optional && !present[path]),
  );
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), "utf8")).packages;
  } catch {
    return {};
  }
}
