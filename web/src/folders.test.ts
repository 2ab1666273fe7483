// Who may know whom: the store knows no domain, a domain knows the store, the shared parts, and domains below it; the shell knows all. And no
// file is too long to be read at once.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const root = import.meta.dirname;
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
const folderOf = (path: string) => (path.includes("/") ? (path.split("/")[0] as string) : "");

/** Files beside the folders that everybody may use. */
const common = ["router.tsx"];
const below: Record<string, readonly string[]> = {
  messages: [],
  store: [],
  ui: ["messages"],
  projects: ["store", "ui", "messages"],
  tasks: ["store", "ui", "messages", "editor", "projects", "time", "activity", "agents"],
  agents: ["store", "ui", "messages", "editor", "settings", "projects", "review"],
  billing: ["store", "ui", "messages", "settings"],
  webhooks: ["store", "ui", "messages", "settings"],
  integrations: ["store", "ui", "messages", "settings", "projects"],
  discuss: ["store", "ui", "messages", "editor", "tasks", "review"],
  receipts: ["store", "ui", "messages", "activity"],
  work: ["store", "ui", "messages", "activity"],
};
/** Every other domain. */
const others = ["store", "ui", "messages", "editor", "projects"];
/** They put the rest together: the shell, the settings, and the pages of the account, which are older than the application. */
const free = ["", "account", "first-paint", "review", "settings", "shell", "workspace"];

const importsOf = (name: string) =>
  [...readFileSync(join(root, name), "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)]
    .map(([, path]) => relative(root, join(root, dirname(name), path as string)))
    .filter((path) => !path.startsWith(".."));

test("a folder imports only what lies below it", () => {
  const wrong: string[] = [];
  for (const name of files.filter((each) => !each.includes(".test."))) {
    const folder = folderOf(name);
    if (free.includes(folder)) continue;
    for (const path of importsOf(name)) {
      const to = folderOf(path);
      if (to !== folder && !common.includes(path) && !(below[folder] ?? others).includes(to))
        wrong.push(`${name} -> ${path}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("no file has more than 300 lines", () => {
  const long = files.filter((name) => readFileSync(join(root, name), "utf8").split("\n").length > 301);
  expect(long).toEqual([]);
});

test("every file begins with what it is for", () => {
  const silent = files.filter((name) => !/^\/\/ \S/.test(readFileSync(join(root, name), "utf8")));
  expect(silent).toEqual([]);
});
