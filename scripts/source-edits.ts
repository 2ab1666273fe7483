// Edits of source texts for `npm run new`: an import, a stub at the end, a line in a fixture, a row of roles. `npm run format` settles the order of imports.

export type Read = (path: string) => string | undefined;
type Edit = [path: string, text: string][];

/** Imports these names, beside others from the same module where there are some. */
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
/** A fixture without anything, in the file that has most of the neighbours' fixtures, of which the first file wins a tie. */
export function fixtureAdded(id: string, neighbours: readonly string[], files: readonly string[], read: Read): Edit {
  const [nearest] = files
    .map((path) => ({ path, text: read(path) ?? "" }))
    .filter(({ text }) => OBJECT.test(text))
    .map((file) => ({ ...file, has: neighbours.filter((name) => new RegExp(`^ {2}${name}[:,]`, "m").test(file.text)) }))
    .sort((a, b) => b.has.length - a.has.length);
  if (!nearest || nearest.has.length === 0) return [];
  const object = (OBJECT.exec(nearest.text) as RegExpExecArray)[0];
  return [[nearest.path, nearest.text.replace(object, object.replace(/\};\n$/, `  ${id}: {},\n};\n`))]];
}

const LONG: Record<string, string> = { W: "/workspaces/{workspace_id}", P: "/projects/{project_id}" };
const ROW = /^(?:GET|POST|PUT|PATCH|DELETE) +(\S+) /;

/** Segments that both paths begin with. */
export function sharedBy(one: string, other: string): number {
  const [left, right] = [one.split("/"), other.split("/")];
  const differs = left.findIndex((segment, at) => segment !== right[at]);
  return differs < 0 ? left.length : differs;
}

/** A row whose cells are question marks under the heading, so that it fails until they are written, behind the row with the nearest path. */
export function rowAdded(route: string, files: readonly string[], read: Read): Edit {
  const [method = "", path = ""] = route.split(" ");
  let best = { shared: 1, file: "", line: -1, heading: "" };
  for (const file of files) {
    let heading = "";
    const lines = (read(file) ?? "").split("\n");
    for (const [line, text] of lines.entries()) {
      if (/= `$/.test(lines[line - 1] ?? "")) heading = text;
      const short = ROW.exec(text)?.[1];
      if (!short) continue;
      const shared = sharedBy(
        path,
        short.replace(/^[WP]\b/, (letter) => LONG[letter] as string),
      );
      const isInTable = file === best.file && heading === best.heading;
      if (shared > best.shared || (isInTable && shared === best.shared)) best = { shared, file, line, heading };
    }
  }
  if (best.line < 0) return [];
  const letter = Object.keys(LONG).find((each) => `${path}/`.startsWith(`${LONG[each]}/`));
  const short = letter ? path.replace(LONG[letter] as string, letter) : path;
  let row = `${method.padEnd(6)} ${short} `;
  for (const { index } of best.heading.matchAll(/\S+/g)) row = `${row.padEnd(index)}? `;
  const lines = (read(best.file) as string).split("\n");
  return [[best.file, lines.toSpliced(best.line + 1, 0, row.trimEnd()).join("\n")]];
}
