// Layers of the folders: the store knows no domain, a domain knows the store, the components and domains below it, and
// the shell knows all. No file and no folder is too long to be read at once.
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";

interface File {
  path: string;
  text: string;
}
const root = import.meta.dirname;
const names = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => posix.join(posix.relative(root, entry.parentPath), entry.name));
const files: File[] = names
  .filter((name) => /\.tsx?$/.test(name))
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, "utf8") }));
const isTest = (path: string) => path.includes(".test.");

/** Layers from below: folders, and files that every layer may import; "." has the other files beside the folders. */
const layers: Readonly<Record<string, readonly string[]>> = {
  "paths.ts": [],
  "router.tsx": [],
  messages: [],
  store: [],
  ui: ["messages"],
  "first-paint": ["store"],
  search: ["messages", "store", "ui"],
  activity: ["messages", "store", "ui"],
  editor: ["messages", "store", "ui"],
  inbox: ["messages", "store", "ui"],
  projects: ["messages", "store", "ui"],
  "settings/elements": ["messages", "store", "ui"],
  billing: ["messages", "store", "ui", "settings/elements"],
  webhooks: ["messages", "store", "ui", "settings/elements"],
  integrations: ["messages", "store", "ui", "settings/elements", "projects"],
  documents: ["messages", "store", "ui", "editor"],
  receipts: ["messages", "store", "ui", "activity"],
  work: ["messages", "store", "ui", "activity"],
  time: ["messages", "store", "ui", "projects"],
  account: ["messages", "store", "first-paint", "search", "billing"],
  workspace: ["store", "projects"],
  review: ["messages", "store", "ui", "account"],
  agents: ["messages", "store", "ui", "editor", "settings/elements", "review"],
  tasks: ["messages", "store", "ui", "activity", "editor", "projects", "time", "agents"],
  discuss: ["messages", "store", "ui", "editor", "review", "tasks"],
  settings: [
    ...["messages", "store", "ui", "projects", "settings/elements", "billing", "webhooks", "integrations"],
    ...["account", "workspace", "tasks"],
  ],
  shell: [
    ...["messages", "store", "ui", "first-paint", "search", "activity", "inbox", "projects", "documents", "receipts"],
    ...["work", "time", "account", "workspace", "review", "agents", "tasks", "discuss", "settings"],
  ],
  ".": ["messages", "store", "ui", "first-paint", "account", "review", "shell"],
};
const order = Object.keys(layers);
const forAll = order.filter((layer) => layer.includes(".ts"));

/** The longest layer that contains the file; undefined if its folder is in no layer. */
function layerOf(path: string): string | undefined {
  const found = order.filter((layer) => path === layer || path.startsWith(`${layer}/`));
  return found.sort((a, b) => b.length - a.length)[0] ?? (path.includes("/") ? undefined : ".");
}
const importsOf = ({ path, text }: File) =>
  [...text.matchAll(/(?:from|import|import\()\s*"(\.[^"]+)"/g)]
    .map(([, name]) => posix.join(posix.dirname(path), name as string))
    .filter((to) => !to.startsWith(".."));

const layerFaults = (all: readonly File[]) =>
  all
    .filter(({ path }) => !isTest(path))
    .flatMap((file) => {
      const layer = layerOf(file.path);
      if (layer === undefined) return [`${file.path} is in no layer`];
      const allowed = [...(layers[layer] as readonly string[]), ...forAll, layer];
      return importsOf(file).flatMap((to) => (allowed.includes(layerOf(to) ?? "") ? [] : [`${file.path} -> ${to}`]));
    });

const MOST_FILES = 20;
/** Folders with too many files side by side; tests do not count. */
function crowdedFolders(paths: readonly string[]): string[] {
  const sizes = new Map<string, number>();
  for (const path of paths.filter((each) => !isTest(each)))
    sizes.set(posix.dirname(path), (sizes.get(posix.dirname(path)) ?? 0) + 1);
  return [...sizes].filter(([, size]) => size > MOST_FILES).map(([folder, size]) => `${folder} has ${size} files`);
}

const MOST_LINES = 300;
const longFiles = (all: readonly File[]) =>
  all.filter(({ text }) => text.split("\n").length > MOST_LINES + 1).map(({ path }) => path);
const silentFiles = (all: readonly File[]) => all.filter(({ text }) => !/^\/\/ \S/.test(text)).map(({ path }) => path);

test("a layer names only layers below it", () => {
  const wrong = order.flatMap((layer, at) =>
    (layers[layer] as readonly string[])
      .filter((other) => !order.slice(0, at).includes(other))
      .map((other) => `${layer} -> ${other}`),
  );
  expect(wrong).toEqual([]);
});

test("every file is in a layer and imports only what lies below it", () => {
  expect(layerFaults(files)).toEqual([]);
});

test("no folder has more than 20 files side by side", () => {
  expect(crowdedFolders(names)).toEqual([]);
});

test("no file has more than 300 lines", () => {
  expect(longFiles(files)).toEqual([]);
});

test("every file begins with what it is for", () => {
  expect(silentFiles(files)).toEqual([]);
});

test("planted faults are found", () => {
  const from = (path: string, ...imports: string[]): File => ({
    path,
    text: imports.map((name) => `import { x } from "${name}";\n`).join(""),
  });
  const planted = [
    from("store/x.ts", "../tasks/load.ts"),
    from("account/pages/x.tsx", "../../shell/shell.tsx"),
    from("settings/elements/x.tsx", "../workflow/steps.tsx"),
    from("router.tsx", "./app.tsx"),
    from("gadgets/x.ts"),
    { path: "ui/x.ts", text: 'const later = () => import("../tasks/board/board.tsx");' },
  ];
  for (const file of planted) expect(layerFaults([file]), file.path).toHaveLength(1);
  const crowd = Array.from({ length: 21 }, (_, at) => `tasks/x${at}.ts`);
  expect(crowdedFolders([...crowd, "ui/x.ts"])).toEqual(["tasks has 21 files"]);
  expect(crowdedFolders([...crowd.slice(1), "tasks/x.test.ts"])).toEqual([]);
  expect(longFiles([{ path: "x.ts", text: "\n".repeat(301) }])).toEqual(["x.ts"]);
  expect(silentFiles([from("x.ts", "./y.ts")])).toEqual(["x.ts"]);
});
