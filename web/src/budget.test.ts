// What a browser loads before it shows a board: at most 180 kB of compressed script, with everything else left for
// later.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildWeb } from "../../scripts/build-web.mjs";

const BUDGET = 180_000;

const assets = join(import.meta.dirname, "../dist/assets");
const text = (name: string) => readFileSync(join(assets, name), "utf8");

test("the first load of a board stays within its budget", () => {
  buildWeb();
  const names = readdirSync(assets).filter((name) => name.endsWith(".js"));
  /**
   * The script that the document names; what it imports when it runs is fetched for a board too: how to draw, the shell
   * and the board.
   */
  const document = readFileSync(join(assets, "../index.html"), "utf8");
  const entry = /<script type="module"[^>]* src="\/assets\/([^"]+)"/.exec(document)?.[1] as string;
  /** What a script imports at once, and not only when it is asked for. */
  const loaded = new Set<string>();
  const load = (name: string) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const [, imported] of text(name).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) load(imported as string);
  };
  for (const start of [entry, ...names.filter((name) => /^(?:pages|app|shell|board)-/.test(name))]) load(start);
  // Nothing of this is left for later: the shell and the board are in what was counted.
  expect([...loaded].some((name) => text(name).includes("data-column"))).toBe(true);
  expect([...loaded].some((name) => text(name).includes("data-connection"))).toBe(true);
  const sizes = [...loaded].map((name) => [name, readFileSync(join(assets, `${name}.gz`)).length] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect(loaded.size, "entry, shell and board were found").toBeGreaterThanOrEqual(3);
  expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(BUDGET);
  // Each file on its own takes time, too, and is compressed on its own.
  expect(loaded.size, JSON.stringify(sizes)).toBeLessThanOrEqual(6);
  // Editor, charts and settings come when they are asked for.
  expect(
    sizes
      .map(([name]) => name)
      .filter((name) =>
        /^(?:security|review|list|home|overview|palette|de|panel|details|drawn|document|rich-text|entrance|proof-dialog)-/.test(
          name,
        ),
      ),
  ).toEqual([]);
});

test("the routes of the operations that the application names are in it, and of no others", () => {
  buildWeb();
  const client = text(readdirSync(assets).find((name) => /^pages-.*\.js$/.test(name)) as string);
  const has = (operation: string) => new RegExp(`\\b${operation}:\\[`).test(client);
  // By the store, by a page, and by the client itself.
  expect(["updateTask", "listAgents", "getOperationReceipt"].filter((name) => !has(name))).toEqual([]);
  // For the command line, for a telephone.
  expect(["getCliTask", "registerMobile"].filter(has)).toEqual([]);
});
