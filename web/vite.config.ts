// How the pages become files: one hashed script and style for all of them, further scripts only where a page needs them.
// Nothing is inlined, because the pages' policy refuses it.
import { join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { routesWorkedOut } from "../client/build/routes-plugin.ts";

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
      input: { index: join(import.meta.dirname, "index.html"), worker: join(import.meta.dirname, "src/worker.ts") },
      output: {
        // The worker keeps its address: that is how a browser knows it again.
        entryFileNames: ({ name }) => (name === "worker" ? "worker.js" : "assets/[name]-[hash].js"),
      },
    },
  },
});
