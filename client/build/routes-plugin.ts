// A bundler plugin that computes the routes at build time, so that neither the schemas nor their library reach a
// browser.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { routes } from "../src/routes.ts";

const client = join(import.meta.dirname, "../src");

/** With `sources`, the bundle includes only the operations that these files, or the client's own, name. */
export const routesWorkedOut = (sources?: string): Plugin => ({
  name: "routes-worked-out",
  enforce: "pre",
  load: (id) =>
    id.endsWith("/client/src/routes.ts")
      ? `export const routes = ${JSON.stringify(sources === undefined ? routes : namedIn([sources, client]))};`
      : undefined,
});

function namedIn(folders: readonly string[]) {
  const words = new Set(
    folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
        .flatMap((name) => readFileSync(join(folder, name), "utf8").match(/\w+/g) ?? []),
    ),
  );
  return Object.fromEntries(Object.entries(routes).filter(([name]) => words.has(name)));
}
