// Builds web/dist, the files of the pages that the service serves, each also compressed. npm start and the tests always
// run this check.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { builtFolder } from "./built.mjs";
import { root } from "./install.mjs";

const script = fileURLToPath(import.meta.url);
const web = join(root, "web");
// The pages include the client and its routes from the contract.
const built = builtFolder(join(web, "dist"), script, [
  ...["web/src", "client/src", "client/build", "contract/src", "document/src"],
  ...["index.html", "package.json", "vite.config.ts"].map((name) => `web/${name}`),
]);

export const buildWeb = (node = process.execPath) => built.ensure(node, "pages");

async function build(outDir) {
  const { build } = await import("vite");
  await build({ configFile: join(web, "vite.config.ts"), build: { outDir } });
  for (const name of readdirSync(join(outDir, "assets"))) {
    const path = join(outDir, "assets", name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
  // Fixed names without a hash: an installed application requests them by these names.
  copyFileSync(join(web, "src/manifest.webmanifest"), join(outDir, "manifest.webmanifest"));
  copyFileSync(join(web, "src/icon.svg"), join(outDir, "icon.svg"));
}

if (process.argv[1] === script) {
  process.env.NODE_ENV = "production";
  await built.make(build);
}
