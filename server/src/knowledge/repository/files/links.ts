// Links between a file and what lies beside it: in the repository they are relative paths, in a Document attachment: and an id. Pure. What stands in a
// fenced block of code is shown and not followed, so it stays.
import { folderOf } from "./names.ts";

const DESTINATION = /(\]\()(?:<([^<>\n]+)>|([^\s()<>]+))/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ID = /^attachment:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** `to` says what a destination becomes; undefined leaves it. */
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

/** Where a destination leads from this file; undefined where it is no place below the folder. */
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

/** Every place that the text leads to, each once. */
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

/** From a file to a Document: `idOf` knows the attachments by path. */
export const inward = (file: string, markdown: string, idOf: (path: string) => string | undefined): string =>
  redirected(markdown, (destination) => {
    const path = resolved(file, destination);
    const id = path && idOf(path);
    return id ? `attachment:${id}` : undefined;
  });
/** And back: `pathOf` knows the paths by attachment. */
export const outward = (file: string, markdown: string, pathOf: (id: string) => string | undefined): string =>
  redirected(markdown, (destination) => {
    const [, id] = ID.exec(destination) ?? [];
    const path = id && pathOf(id);
    return path ? relative(file, path) : undefined;
  });
