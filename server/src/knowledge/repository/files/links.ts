// Links between a file and the files beside it: relative paths in the repository, `attachment:` with an id in a
// Document. Links in fenced code blocks are not converted. Pure.
import { folderOf } from "./names.ts";

const DESTINATION = /(\]\()(?:<([^<>\n]+)>|([^\s()<>]+))/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ID = /^attachment:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Replaces destinations by the result of `to`; undefined preserves one. */
function redirected(markdown: string, to: (destination: string) => string | undefined): string {
  let fence: string | null = null;
  const lines = markdown.split("\n").map((line) => {
    const [, mark] = FENCE.exec(line) ?? [];
    if (mark && (fence === null || (mark.startsWith(fence) && line.trim() === mark))) {
      fence = fence === null ? mark : null;
      return line;
    }
    if (fence !== null) return line;
    return line.replace(DESTINATION, (whole, before, quoted, plain) => {
      const next = to(quoted ?? plain);
      return next === undefined ? whole : before + next;
    });
  });
  return lines.join("\n");
}

/** Resolves a destination relative to this file; undefined if it is outside of the folder. */
export function resolved(file: string, destination: string): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|[/\\#?])/i.test(destination)) return undefined;
  const path = decoded(destination.split(/[?#]/, 1)[0] ?? "");
  const segments = folderOf(file)
    .split("/")
    .filter((each) => each !== "");
  for (const segment of path?.split("/") ?? [".."]) {
    if (segment === "..") {
      if (segments.length === 0) return undefined;
      segments.pop();
    } else if (segment !== "." && segment !== "") segments.push(segment);
  }
  return segments.join("/");
}
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export function relative(file: string, path: string): string {
  const [from, to] = [folderOf(file).split("/").filter(Boolean), path.split("/")];
  let same = 0;
  while (same < from.length && same < to.length - 1 && from[same] === to[same]) same++;
  const steps = [...from.slice(same).map(() => ".."), ...to.slice(same).map(encodeURIComponent)];
  return steps.join("/").replace(/[()]/g, (each) => (each === "(" ? "%28" : "%29"));
}

/** Distinct paths that the text links. */
export function placesLinked(file: string, markdown: string): string[] {
  const found = new Set<string>();
  redirected(markdown, (destination) => {
    const path = resolved(file, destination);
    if (path) found.add(path);
    return undefined;
  });
  return [...found];
}
export function attachmentsLinked(markdown: string): string[] {
  const found = new Set<string>();
  redirected(markdown, (destination) => {
    const [, id] = ID.exec(destination) ?? [];
    if (id) found.add(id);
    return undefined;
  });
  return [...found];
}

/** Converts links of a file to those of a Document: `idOf` finds attachments by path. */
export const inward = (file: string, markdown: string, idOf: (path: string) => string | undefined): string =>
  redirected(markdown, (destination) => {
    const path = resolved(file, destination);
    const id = path && idOf(path);
    return id ? `attachment:${id}` : undefined;
  });
/** Converts links of a Document to those of a file: `pathOf` finds paths by attachment. */
export const outward = (file: string, markdown: string, pathOf: (id: string) => string | undefined): string =>
  redirected(markdown, (destination) => {
    const [, id] = ID.exec(destination) ?? [];
    const path = id && pathOf(id);
    return path ? relative(file, path) : undefined;
  });
