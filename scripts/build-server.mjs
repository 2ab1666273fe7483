// Builds server/dist, the service as one file plus one for each lazily loaded part: a start reads that in half the time
// of two thousand files. Packages remain external, except typebox, which has 370 files. npm start and the tests always
// run this check; server/src/main.ts runs as well.
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { builtFolder } from "./built.mjs";
import { root } from "./install.mjs";

const script = fileURLToPath(import.meta.url);
const dist = join(root, "server/dist");
const built = builtFolder(dist, script, ["server/src", "server/package.json", "contract/src", "document/src"]);

/** Returns the path of the program. */
export function buildServer(node = process.execPath) {
  built.ensure(node, "service");
  return join(dist, "main.js");
}

/** Rewrites import.meta.url, so that threads and files next to a source are still found in the source tree. */
const ownAddresses = {
  name: "own addresses",
  enforce: "pre",
  transform(code, id) {
    if (relative(root, id).startsWith("node_modules") || !code.includes("import.meta.url")) return null;
    const from = relative(dist, id).replaceAll("\\", "/");
    return code.replaceAll("import.meta.url", `new URL(${JSON.stringify(from)}, import.meta.url).href`);
  },
};

async function build(outDir) {
  const { build } = await import("vite");
  await build({
    configFile: false,
    logLevel: "error",
    root: dirname(dist),
    plugins: [ownAddresses],
    ssr: { noExternal: ["typebox"] },
    build: {
      ssr: join(root, "server/src/main.ts"),
      outDir,
      emptyOutDir: true,
      target: "node22",
      minify: false,
      rolldownOptions: {
        output: { format: "es", entryFileNames: "main.js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
}

if (process.argv[1] === script) await built.make(build);
