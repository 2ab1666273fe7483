// What is generated is committed, so that a change of the contract shows in review; here it is held equal to the
// contract. What is written by hand is held to the commands and files that exist.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { endpointFields } from "@svc/contract/connect/webhooks/endpoints.ts";
import { OPERATIONS } from "@svc/contract/named-operations.ts";
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { staleOf } from "./docs.ts";
import { generated } from "./docs-generated.ts";
import { contractFiles, operationFiles } from "./operation-files.ts";

const root = join(import.meta.dirname, "..");
const texts = ["", "docs", "docs/decisions", "docs/design"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("generated files are up to date (npm run docs)", () => {
  const stale = [...staleOf(operationFiles(contractFiles())), ...staleOf(generated())];
  expect(stale.map(([file]) => file)).toEqual([]);
});

test.each(texts)("%s names only commands that exist", (file) => {
  const { scripts } = JSON.parse(read("package.json"));
  const named = [...read(file).matchAll(/\bnpm run ([\w:]+)/g)].map((match) => match[1] as string);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test.each(texts)("%s links only to files that exist", (file) => {
  const links = [...read(file).matchAll(/\]\((?!https?:|\/|#)([^)#\s]+)/g)].map((match) => match[1] as string);
  expect(links.filter((link) => !existsSync(join(root, dirname(file), link)))).toEqual([]);
});

test("the README counts the operations that the specification names, and the others", () => {
  const all = [...operations.values()];
  const unnamed = all.filter((operation) => operation.unnamed !== undefined).length;
  expect(read("README.md").replace(/\s+/g, " ")).toContain(
    `(${all.length - unnamed} can be derived from it; it counts ${OPERATIONS}) and ${unnamed} more`,
  );
});

test("docs/webhooks.md names the fields of an endpoint as the interface does", () => {
  for (const name of Object.keys(endpointFields)) expect(read("docs/webhooks.md")).toContain(`\`${name}\``);
});
