// Build of the pages. All pages share one chunk, and the application adds another, because each cached file costs some
// milliseconds of a service worker; further chunks load on demand. Nothing is inlined, because the
// Content-Security-Policy forbids it.
import { join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { routesWorkedOut } from "../client/build/routes-plugin.ts";

const source = (name: string) => join(import.meta.dirname, "src", name);
type Graph = { getModuleInfo(id: string): { importedIds: readonly string[] } | null };

/** Modules that a module imports statically. */
function imported(graph: Graph, id: string, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const each of graph.getModuleInfo(id)?.importedIds ?? []) imported(graph, each, found);
  return found;
}
/**
 * Chunks in this order, the helper for dynamic imports in the first; a module of one chunk is in none of the following.
 */
const groups: Readonly<Record<string, readonly string[]>> = {
  start: ["main.tsx"],
  pages: ["draw-application.tsx"],
  app: ["shell/shell.tsx", "tasks/board/board.tsx"],
};
const files = Object.entries(groups).map(([name, entries], at) => {
  let all: Set<string> | undefined;
  return {
    debugName: name,
    priority: 10 - at,
    name(id: string, graph: Graph) {
      all ??= new Set(entries.flatMap((entry) => [...imported(graph, source(entry))]));
      return all.has(id) || (at === 0 && /vite\/preload-helper|rolldown\/runtime/.test(id)) ? name : null;
    },
  };
});

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss(), routesWorkedOut(join(import.meta.dirname, "src"))],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    rollupOptions: {
      input: { index: join(import.meta.dirname, "index.html"), worker: source("worker.ts") },
      output: {
        // The worker needs a stable URL, by which browsers identify its registration.
        entryFileNames: ({ name }) => (name === "worker" ? "worker.js" : "assets/[name]-[hash].js"),
        codeSplitting: { groups: files },
      },
    },
  },
});
