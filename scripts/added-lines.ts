// Computes the lines that `npm run new` would add to each file, for its tests.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { plan } from "./new.ts";
import { root } from "./operation-files-of.ts";

const before = (path: string) =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8").split("\n") : [];
/** The lines that each file gains. Fails if a file loses any line except imports. */
export function added(...argv: string[]): Record<string, string> {
  const gained = [...plan(argv).texts].map(([path, text]) => {
    const [old, now] = [before(path), text.split("\n")];
    expect(old.filter((line) => !now.includes(line) && !line.startsWith("import"))).toEqual([]);
    return [path, now.filter((line) => !old.includes(line)).join("\n")];
  });
  return Object.fromEntries(gained);
}
