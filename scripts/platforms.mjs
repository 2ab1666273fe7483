// npm run platforms: installs the service's packages for each platform in turn into a scratch directory, as npm would
// on that platform, and prints the missing native packages. It runs none of them.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./install.mjs";
import { bringsItsOwnNode, nativePackages, platforms } from "./native-packages.mjs";

const read = (name) => JSON.parse(readFileSync(join(root, name), "utf8"));
const lock = read("package-lock.json");
const needed = ["package.json", "package-lock.json", ".npmrc", ...read("package.json").workspaces];
let missing = 0;
for (const platform of platforms) {
  const scratch = mkdtempSync(join(tmpdir(), "svc-platform-"));
  for (const file of needed)
    cpSync(join(root, file), join(scratch, file), {
      recursive: true,
      filter: (path) => !/node_modules|[/\\]dist/.test(path.slice(root.length)),
    });
  const { os, cpu, libc } = platform;
  const flags = [`--os=${os}`, `--cpu=${cpu}`, ...(libc ? [`--libc=${libc}`] : [])];
  const npm = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...flags];
  const { status } = spawnSync(npm.join(" "), { cwd: scratch, shell: true, stdio: ["ignore", "ignore", "inherit"] });
  const faults = status === 0 ? [] : ["npm ci failed"];
  for (const native of nativePackages(lock)) {
    const { owner, packages } = native;
    const names = packages.get(platform);
    if (names.length === 0 && !bringsItsOwnNode(native, platform)) faults.push(`a native package of ${owner || "svc"}`);
    for (const name of names)
      if (![owner, ""].some((place) => existsSync(join(scratch, place, "node_modules", name)))) faults.push(name);
  }
  missing += faults.length;
  console.log(
    `${os} ${cpu}${libc ? ` (${libc})` : ""}: ${faults.length === 0 ? "complete" : `MISSING ${faults.join(", ")}`}`,
  );
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(missing === 0 ? 0 : 1);
