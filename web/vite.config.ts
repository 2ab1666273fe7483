// How the pages become files. What every page needs is one file, what the application needs on top of it another, since each file on its own takes
// a worker that keeps them some milliseconds; further ones come where a page needs them. Nothing is inlined, because the pages' policy refuses it.
import { join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { routesWorkedOut } from "../client/build/routes-plugin.ts";

const source = (name: string) => join(import.meta.dirname, "src", name);
type Graph = { getModuleInfo(id: string): { importedIds: readonly string[] } | null };

/** All that a module imports at once, and not only when it is asked for. */
function imported(graph: Graph, id: string, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const each of graph.getModuleInfo(id)?.importedIds ?? []) imported(graph, each, found);
  return found;
}
/** In this order, with what imports further files in the first of them: what is in one is in none that follows. */
const groups: Readonly<Record<string, readonly string[]>> = {
  start: ["main.tsx"],
  pages: ["draw.tsx"],
  app: ["shell/shell.tsx", "tasks/board.tsx"],
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
        // The worker keeps its address: that is how a browser knows it again.
        entryFileNames: ({ name }) => (name === "worker" ? "worker.js" : "assets/[name]-[hash].js"),
        codeSplitting: { groups: files },
      },
    },
  },
});
