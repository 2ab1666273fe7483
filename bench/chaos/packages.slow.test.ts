// npm run chaos works in a production install: nothing that it loads comes from a package that only development needs.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  packages: Record<string, { dev?: boolean }>;
};
const IMPORT = /(?:^|\n)(?:import|export) (?!type )[^;]*?from "([^"]+)"|(?:^|\n)import "([^"]+)"|import\("([^"]+)"\)/g;

/** Files that a program loads, and the packages that each of them names. */
function namedBy(file: string, loaded: Map<string, string[]>) {
  if (loaded.has(file)) return;
  const names: string[] = [];
  loaded.set(file, names);
  for (const [, from, bare, lazy] of readFileSync(file, "utf8").matchAll(IMPORT)) {
    const name = (from ?? bare ?? lazy) as string;
    if (name.startsWith("node:")) continue;
    const [scope, own, ...rest] = name.split("/");
    const inside = name.startsWith(".")
      ? join(dirname(file), name)
      : scope === "@svc" && join(root, own as string, "src", ...rest);
    if (inside && existsSync(inside)) namedBy(inside, loaded);
    else names.push(name.startsWith("@") ? `${scope}/${own}` : (scope as string));
  }
}

/** A workspace has its own copy where the root has another version. */
const entryOf = (file: string, name: string) =>
  packages[`${file.split("/")[0]}/node_modules/${name}`] ?? packages[`node_modules/${name}`];

test("no file that chaos loads imports a development package", () => {
  const loaded = new Map<string, string[]>();
  const programs = globSync("bench/chaos/*.ts", { cwd: root }).filter((name) => !name.endsWith(".test.ts"));
  for (const program of programs) namedBy(join(root, program), loaded);
  expect(loaded.size).toBeGreaterThan(100);
  const all = [...loaded].flatMap(([file, names]) => names.map((name) => ({ file: relative(root, file), name })));
  expect(all.map(({ name }) => name)).toContain("pg");
  expect(all.filter(({ file, name }) => entryOf(file, name)?.dev)).toEqual([]);
});
