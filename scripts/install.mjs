// Brings node_modules in line with package-lock.json, comparing it with npm's own record of what it installed. What runs the service and
// what only the tests need are two sizes of it. Runs no package's install script, and does nothing when nothing is missing.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `development`: also what only tests and checks need. */
export async function install({ development = false } = {}) {
  if (isInstalled(development)) return;
  const weight = development ? "those of the tests too, about 660 MB" : "about 390 MB";
  const done = step(`Installing packages (${weight}, needed once)`);
  // npm must not run on the Node in the very directory that it replaces.
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((entry) => !/node_modules[/\\]\.bin[/\\]?$/.test(entry));
  // Not `ci`: it removes everything first, also where a single package is missing.
  const size = development ? "--include=dev" : "--omit=dev";
  // Through a shell, because npm is a script on Windows, and as one text, because Node warns of arguments that go through one.
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

/** Says what begins, and every five seconds that it still goes on. The caller calls back when it is done. */
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

/** Whether an optional package is made for this machine: node_modules of another one may have come along with a copy or a mount. */
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
