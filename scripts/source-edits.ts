// Edits source texts for `npm run new`: an import, a stub at the end, an entry in a fixture, a row of roles. `npm run
// format` sorts the imports.

export type Read = (path: string) => string | undefined;
type Edit = [path: string, text: string][];

/** Imports these names, merged into an existing import of the same module. */
export function imported(text: string, module: string, names: readonly string[]): string {
  const present = new RegExp(`^import \\{([^}]*)\\} from "${module.replaceAll(".", "\\.")}";\n`, "m").exec(text);
  const before = present?.[1]?.split(",").map((name) => name.trim()) ?? [];
  const all = [...new Set([...before.filter(Boolean), ...names])];
  const line = `import { ${all.join(", ")} } from "${module}";\n`;
  if (present) return text.replace(present[0], line);
  const opening = /^(?:\/\/.*\n)*\n?/.exec(text)?.[0] ?? "";
  return opening + line + text.slice(opening.length);
}

export const appended = (text: string, stub: string) => `${text.trimEnd()}\n\n${stub}`;

const OBJECT = /^export const \w*ixtures: Record<string, Fixture> = \{\n[\s\S]*?^\};\n/m;
/**
 * Adds a fixture at the end of the file's object. If the sibling's fixture creates something or has its own caller, the
 * new one refers to it with `like`.
 */
export function fixtureAdded(id: string, sibling: string | undefined, file: string | undefined, read: Read): Edit {
  const text = (file && read(file)) ?? "";
  const object = OBJECT.exec(text)?.[0];
  if (file === undefined || object === undefined) return [];
  const [entry = ""] = new RegExp(`^ {2}${sibling}[:,].*\n(?: {4}.*\n| {2}\\}.*\n)*`, "m").exec(object) ?? [];
  const like = /\b(?:make|before|caller|like):/.test(entry) ? ` like: "${sibling}" ` : "";
  return [[file, text.replace(object, object.replace(/\};\n$/, `  ${id}: {${like}},\n};\n`))]];
}

const SHORT: Record<string, string> = { W: "/workspaces/{workspace_id}", P: "/projects/{project_id}" };
const ROW = /^((?:GET|POST|PUT|PATCH|DELETE) +(\S+) +)([^#\n]*[^#\n ])/;

/** Adds a row with the cells of the sibling's row after it; nothing if the sibling has none. */
export function rowAdded(route: string, sibling: string, files: readonly string[], read: Read): Edit {
  const shortened = ([method = "", path = ""]: string[]) => {
    const letter = Object.keys(SHORT).find((each) => `${path}/`.startsWith(`${SHORT[each]}/`));
    return `${method.padEnd(6)} ${letter ? path.replace(SHORT[letter] as string, letter) : path} `;
  };
  const wanted = shortened(sibling.split(" "));
  for (const file of files) {
    const lines = (read(file) ?? "").split("\n");
    const at = lines.findIndex((line) => line.startsWith(wanted));
    const [, head = "", , cells = ""] = ROW.exec(lines[at] ?? "") ?? [];
    if (at < 0) continue;
    const row = shortened(route.split(" ")).padEnd(head.length) + cells;
    return [[file, lines.toSpliced(at + 1, 0, row).join("\n")]];
  }
  return [];
}
