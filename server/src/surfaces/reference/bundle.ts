// Script of the interactive reference, prepared at its first request, so that other processes do not load it. Scalar
// publishes its browser bundle alone only inside its Fastify plugin, as one string literal. Importing the plugin took
// 0.7 to 1.3 s and left 57 MB; evaluating just the literal took 0.1 to 0.3 s and left 25 MB, of which the stored gzip
// is 1.3 MB.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { gzip } from "node:zlib";

const require = createRequire(import.meta.url);
const plugin = require.resolve("@scalar/fastify-api-reference");

/** The bundle changes only with the version, which is therefore part of its address. */
export const { version: bundleVersion } = require(join(dirname(plugin), "..", "package.json")) as { version: string };

/** Uses gzip, which every browser accepts; brotli would save another 14 % for seven times the work. */
export async function bundle(): Promise<Buffer> {
  const literal = /^var standalone_default = (".*");$/m.exec(await readFile(plugin, "utf8"))?.[1];
  if (literal === undefined) throw new Error("this version of @scalar/fastify-api-reference is laid out differently");
  // Removes the comment that points developer tools at a source map that is not served.
  const script = String(runInNewContext(literal)).replace(/\n\/\/# sourceMappingURL=.*$/, "");
  return promisify(gzip)(script);
}
