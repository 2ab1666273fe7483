// Bundles the command line as plain JavaScript for Node 20 and later: one entry file, and one file per command that is
// loaded when it runs. The bundle includes the client.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vite";
import { routesWorkedOut } from "../../client/build/routes-plugin.ts";

const root = resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string; license: string };
export const { version } = manifest;

/** Returns the path of the program. */
export async function buildCli(out: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: "error",
    root: join(root, "cli"),
    plugins: [routesWorkedOut()],
    define: { SVC_VERSION: JSON.stringify(version) },
    ssr: { noExternal: true },
    build: {
      ssr: join(root, "cli/src/main.ts"),
      outDir: out,
      emptyOutDir: true,
      target: "node20",
      minify: true,
      rolldownOptions: {
        output: { format: "es", entryFileNames: "svc.js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
  const program = join(out, "svc.js");
  writeFileSync(program, `#!/usr/bin/env node\n${readFileSync(program, "utf8")}`);
  writeFileSync(
    join(out, "package.json"),
    JSON.stringify({
      name: "@svc/cli",
      version,
      license: manifest.license,
      type: "module",
      bin: { svc: "svc.js" },
      man: ["man/svc.1"],
      engines: { node: ">=20" },
    }),
  );
  chmodSync(program, 0o755);
  return program;
}
