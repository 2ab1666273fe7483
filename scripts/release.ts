// npm run release: freezes the migrations of the version in package.json. Writes their digests to
// server/migrations/released.json and some rows of every table to server/test/releases/<version>.sql, and then runs the
// tests of releases on both. Refuses a version that is already released. --again does it anew, as long as the version
// has no tag in git.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shipped } from "../server/src/platform/database/start/migrations.ts";

const root = join(import.meta.dirname, "..");
const { version, files, released } = await shipped();
const list = join(root, "server/migrations/released.json");
const rows = join(root, `server/test/releases/${version}.sql`);

function tagged(): boolean {
  try {
    return execFileSync("git", ["tag", "--list", `v${version}`], { cwd: root, encoding: "utf8" }).trim() !== "";
  } catch {
    return true;
  }
}
function refuse(line: string): never {
  console.error(line);
  process.exit(1);
}
const test = (...names: string[]) =>
  execFileSync(process.execPath, [join(root, "scripts/test.mjs"), "server/test/releases.slow.test.ts", ...names], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, RELEASE_DUMP: rows },
  });

const done = existsSync(rows) || Object.values(released).some(({ release }) => release === version);
if (done && !process.argv.includes("--again"))
  refuse(`${version} is released: raise the version in package.json, or add --again while it has no tag`);
if (done && tagged())
  refuse(`${version} has the tag v${version} (or git cannot say): raise the version in package.json`);

const earlier = Object.fromEntries(Object.entries(released).filter(([, { release }]) => release !== version));
for (const name of Object.keys(earlier))
  if (files.find((file) => file.name === name)?.hash !== earlier[name]?.sha256)
    refuse(`${name} is not as in release ${earlier[name]?.release}: restore it, and put the change into a new file`);
const own = files
  .filter(({ name }) => !(name in earlier))
  .map(({ name, hash }) => [name, { ...released[name], release: version, sha256: hash }]);

// Writes the list without this version first: its old digests would refuse the migrations to be frozen.
writeFileSync(list, `${JSON.stringify(earlier, null, 2)}\n`);
test("-t", "what is filled");
writeFileSync(list, `${JSON.stringify({ ...earlier, ...Object.fromEntries(own) }, null, 2)}\n`);
execFileSync(process.execPath, [join(root, "node_modules/@biomejs/biome/bin/biome"), "format", "--write", list]);
test();
console.log(`${version}: ${own.length} migrations frozen, ${readFileSync(rows).length} bytes of rows in ${rows}`);
