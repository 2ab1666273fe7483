// Packs the command line with all its dependencies as a file that `npm install -g` accepts.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildCli, version } from "./build.ts";
import { manPage } from "./man.ts";

/** Returns the path of the packed file. */
export async function packCli(folder: string): Promise<string> {
  const out = join(folder, "package");
  mkdirSync(out, { recursive: true });
  await buildCli(resolve(out));
  writeFileSync(join(out, "README.md"), readFileSync(join(import.meta.dirname, "../README.md")));
  mkdirSync(join(out, "man"));
  writeFileSync(join(out, "man/svc.1"), manPage(version));
  // Runs npm through a shell, because it is a script on Windows.
  execFileSync(`npm pack --silent --pack-destination "${resolve(folder)}"`, {
    cwd: out,
    shell: true,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return join(folder, `svc-cli-${version}.tgz`);
}
