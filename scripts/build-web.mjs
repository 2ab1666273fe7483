// npm run build: makes web/dist, the files of the pages that the service serves, each also compressed.
// Does nothing while dist is of the present sources, which it knows by their hash; npm start and the tests therefore always ask.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const script = fileURLToPath(import.meta.url);
const web = join(dirname(dirname(script)), "web");
const dist = join(web, "dist");

export function buildWeb(node = process.execPath) {
  if (isBuilt()) return;
  console.log("Building the pages ...");
  // In a process of its own: vite wants a newer Node than may run this, and React must not see that it is tested.
  const { status } = spawnSync(node, [script], {
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error("the pages cannot be built; npm run build says more");
}

function isBuilt() {
  const stamp = join(dist, "sources");
  return existsSync(stamp) && readFileSync(stamp, "utf8") === sources();
}

function sources() {
  // The client is in it, and what it knows of the contract.
  const names = [
    join(web, "src"),
    ...["client/src", "client/build", "contract/src", "document/src"].map((name) => join(dirname(web), name)),
  ]
    .flatMap((from) => readdirSync(from, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash("sha256").update(readFileSync(script));
  for (const name of [...names, ...["index.html", "package.json", "vite.config.ts"].map((name) => join(web, name))])
    hash.update(name.slice(dirname(web).length)).update(readFileSync(name));
  return hash.digest("hex");
}

async function build() {
  const stamp = sources();
  const aside = `${dist}-${process.pid}`;
  const { build } = await import("vite");
  await build({ configFile: join(web, "vite.config.ts"), build: { outDir: aside } });
  for (const name of readdirSync(join(aside, "assets"))) {
    const path = join(aside, "assets", name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
  // Under names that stay: a browser that keeps the application looks for them there.
  copyFileSync(join(web, "src/manifest.webmanifest"), join(aside, "manifest.webmanifest"));
  copyFileSync(join(web, "src/icon.svg"), join(aside, "icon.svg"));
  writeFileSync(join(aside, "sources"), stamp);
  // Two builds at once: whoever comes second finds the first one's files, which are the same.
  try {
    rmSync(dist, { recursive: true, force: true, maxRetries: 5 });
    await move(aside, dist);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!isBuilt()) throw error;
  }
}

/** On Windows nothing is renamed while a virus scanner looks at it, as it does at what is new. */
async function move(from, to, tries = process.platform === "win32" ? 50 : 1) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (tries === 1) throw error;
    await sleep(100);
    await move(from, to, tries - 1);
  }
}

if (process.argv[1] === script) {
  process.env.NODE_ENV = "production";
  await build();
}
