// Packs the client as a package without dependencies: one module without schemas, and self-contained types. `npm run
// pack:client -- FOLDER`
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vite";
import { declarations, frameDeclarations } from "./declarations.ts";
import { routesWorkedOut } from "./routes-plugin.ts";

const root = resolve(import.meta.dirname, "../..");

/** Returns the path of the packed file. */
export async function packClient(folder: string): Promise<string> {
  const out = join(folder, "package");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const source = join(root, "client/src");
  await build({
    configFile: false,
    logLevel: "error",
    plugins: [routesWorkedOut()],
    build: {
      outDir: out,
      target: "es2022",
      minify: false,
      lib: { entry: join(source, "client.ts"), formats: ["es"], fileName: "client" },
    },
  });
  const types = join(out, "types");
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", import.meta.dirname, "--outDir", types, "--singleThreaded"], {
    stdio: "inherit",
  });
  const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const shapes = 'import type { CallOptions, Pages } from "./shapes.ts";\n';
  writeFileSync(join(types, "client/src/types.d.ts"), shapes + declarations());
  writeFileSync(join(types, "client/src/frames.d.ts"), frameDeclarations());
  rmSync(join(types, "client/src/routes.d.ts"));
  rmSync(join(types, "contract"), { recursive: true, force: true });
  writeFileSync(
    join(out, "package.json"),
    JSON.stringify({
      name: "@svc/client",
      version,
      license,
      type: "module",
      exports: { ".": { types: "./types/client/src/client.d.ts", default: "./client.js" } },
    }),
  );
  writeFileSync(join(out, "README.md"), readFileSync(join(root, "client/README.md")));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["pack", "--silent", "--pack-destination", folder], {
    cwd: out,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return join(folder, `svc-client-${version}.tgz`);
}
