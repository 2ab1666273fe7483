// Makes node_modules match package-lock.json, comparing it with npm's own record of installed packages. It installs
// either the packages of the service or also those of the tests. It runs no package's install script, and does nothing
// if nothing is missing.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `development`: also installs packages that only tests and checks need. */
export async function install({ development = false } = {}) {
  if (isInstalled(development)) return;
  const weight = development ? "those of the tests too, about 660 MB" : "about 390 MB";
  const done = step(`Installing packages (${weight}, needed once)`);
  // npm must not run on the Node in the very directory that it replaces.
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((entry) => !/node_modules[/\\]\.bin[/\\]?$/.test(entry));
  // Not `ci`: it removes everything first, even if a single package is missing.
  const size = development ? "--include=dev" : "--omit=dev";
  // Uses a shell, because npm is a script on Windows, and a single string, because Node warns about arguments with a
  // shell.
  const npm = spawn(`npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error ${size}`, {
    cwd: root,
    env: { ...process.env, PATH: path.join(delimiter) },
    shell: true,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const fault = await new Promise((resolve) => {
    npm.on("error", (error) => resolve(` (${error.message})`));
    npm.on("close", (status) => resolve(status === 0 ? null : ""));
  });
  done();
  if (fault === null) return;
  console.error(`Installing packages failed${fault}; mend the cause above and start again`);
  process.exit(1);
}

/**
 * Prints the start of a step, and every five seconds that it is still running. The caller calls the returned function
 * at its end.
 */
export function step(title) {
  console.log(`${title} ...`);
  const began = performance.now();
  const still = setInterval(() => console.log(`  ... ${Math.round((performance.now() - began) / 1000)} s`), 5000);
  return () => clearInterval(still);
}

function isInstalled(development) {
  const wanted = packagesOf("package-lock.json");
  const present = packagesOf(join("node_modules", ".package-lock.json"));
  const same = (a, b) => a?.version === b?.version && a?.integrity === b?.integrity;
  const unneeded = (entry) => (entry.optional && !isOurs(entry)) || ((entry.dev || entry.devOptional) && !development);
  return Object.entries(wanted).every(
    ([path, entry]) => path === "" || same(entry, present[path]) || (unneeded(entry) && !present[path]),
  );
}

/** True if an optional package is for this machine: a copy or a mount may include node_modules of another one. */
function isOurs({ os, cpu, libc }) {
  if (!os && !cpu) return false;
  const glibc = process.platform === "linux" && process.report?.getReport().header.glibcVersionRuntime !== undefined;
  return (
    (!os || os.includes(process.platform)) &&
    (!cpu || cpu.includes(process.arch)) &&
    (!libc || libc.includes(glibc ? "glibc" : "musl"))
  );
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), "utf8")).packages;
  } catch {
    return {};
  }
}
