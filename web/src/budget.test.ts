// What a browser loads before it shows a board: at most 180 kB of compressed script, with everything else left for later.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildWeb } from "../../scripts/build-web.mjs";

const BUDGET = 180_000;

test("the first load of a board stays within its budget", () => {
  buildWeb();
  const assets = join(import.meta.dirname, "../dist/assets");
  const names = readdirSync(assets).filter((name) => name.endsWith(".js"));
  const text = (name: string) => readFileSync(join(assets, name), "utf8");
  const entry = names.find((name) => name.startsWith("index-")) as string;
  /** What a script imports at once, and not only when it is asked for. */
  const loaded = new Set<string>();
  const load = (name: string) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const [, imported] of text(name).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) load(imported as string);
  };
  for (const start of [entry, ...names.filter((name) => /^(?:shell|board)-/.test(name))]) load(start);
  const sizes = [...loaded].map((name) => [name, readFileSync(join(assets, `${name}.gz`)).length] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect(loaded.size, "entry, shell and board were found").toBeGreaterThanOrEqual(3);
  expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(BUDGET);
  // Editor, charts and settings come when they are asked for.
  expect(
    sizes
      .map(([name]) => name)
      .filter((name) =>
        /^(?:security|review|list|home|overview|palette|de|panel|details|drawn|document|rich-text)-/.test(name),
      ),
  ).toEqual([]);
});
