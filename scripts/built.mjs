// A folder of built files that stores the hash of its sources: it is rebuilt if and only if they have changed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./install.mjs";

/**
 * `sources`: files and folders below the root. The hash also covers the versions of all packages and `script`, which
 * builds the folder.
 */
export function builtFolder(dist, script, sources) {
  const filesOf = (name) =>
    statSync(name).isFile()
      ? [name]
      : readdirSync(name, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
          .map((entry) => join(entry.parentPath, entry.name));
  function hashed() {
    const hash = createHash("sha256").update(readFileSync(script));
    for (const name of [...sources, "package-lock.json"].flatMap((name) => filesOf(join(root, name))).sort())
      hash.update(name.slice(root.length)).update(readFileSync(name));
    return hash.digest("hex");
  }
  const stamp = join(dist, "sources");
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, "utf8") === hashed();
  return {
    /**
     * Builds in a process of its own: vite needs a newer Node than the one that may run this, and React must not detect
     * a test environment.
     */
    ensure(node, what) {
      if (isBuilt()) return;
      console.log(`Building the ${what} ...`);
      const env = { ...process.env, NODE_ENV: "production" };
      const { status } = spawnSync(node, [script], { env, stdio: ["ignore", "ignore", "inherit"] });
      if (status !== 0) throw new Error(`the ${what} cannot be built: the lines above say why`);
    },
    /** `build` writes the files to the folder that it receives. */
    async make(build) {
      const aside = `${dist}-${process.pid}`;
      const of = hashed();
      await build(aside);
      writeFileSync(join(aside, "sources"), of);
      // With two concurrent builds, the second finds the first one's files, which are the same.
      try {
        rmSync(dist, { recursive: true, force: true, maxRetries: 5 });
        await move(aside, dist);
      } catch (error) {
        rmSync(aside, { recursive: true, force: true });
        if (!isBuilt()) throw error;
      }
    },
  };
}

/** Retries on Windows, where a virus scanner that reads new files blocks a rename. */
async function move(from, to, tries = process.platform === "win32" ? 50 : 1) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (tries === 1) throw error;
    await sleep(100);
    await move(from, to, tries - 1);
  }
}
