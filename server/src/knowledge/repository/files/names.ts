// Names of files: which are safe, which are ours, what a Document's file is called, and which folder belongs to it. Pure.
// A Document is `name.md`, and what is below it lies in `name/`. A README.md or index.md is the Document of the folder that it lies in.

const MOST_NAME = 60;
export const MOST_LEVELS = 20;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|readme|index)$/;
const OWN = /^(?:readme|index)\.(?:md|markdown)$/i;
const MARKDOWN = /\.(?:md|markdown)$/i;

/** Of a title: small letters and digits of any script, with hyphens between. The same on every platform. */
export function nameOf(title: string): string {
  const words = title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  const name = [...words].slice(0, MOST_NAME).join("").replace(/-+$/, "") || "document";
  return RESERVED.test(name) ? `${name}-1` : name;
}

/** Of a file or folder that somebody else named: what it would be called as a title. */
export function titleOf(name: string): string {
  const words =
    name
      .replace(MARKDOWN, "")
      .replace(/[-_\s]+/g, " ")
      .trim() || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Two paths are the same place where letters are not told apart. */
export const folded = (path: string) => path.normalize("NFC").toLowerCase();

const segmentIsSafe = (segment: string) =>
  segment !== "" &&
  !/^\.{1,2}$/.test(segment) &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
  !/[\\<>:"|?*\0-\x1f\x7f\ufffd]|[. ]$/.test(segment) &&
  !/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(segment) &&
  !/^\.git$|^git~\d$/i.test(segment.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")) &&
  segment.isWellFormed() &&
  Buffer.byteLength(segment) <= 255;
export const isSafe = (path: string) => path.length <= 1000 && path.split("/").every(segmentIsSafe);
/** Not hidden, as .github is. */
export const isOurs = (path: string) =>
  MARKDOWN.test(path) && !path.split("/").some((segment) => segment.startsWith("."));

export const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const baseOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
export const lastOf = baseOf;

export interface Places {
  /** The folder of what is below the Document. */
  stemOf(path: string): string;
  /** The folder that the Document is in. */
  parentOf(path: string): string;
  levelOf(path: string): number;
}
/** Among these files: a README is the Document of its folder where no file beside the folder has its name. */
export function placesIn(paths: Iterable<string>): Places {
  const named = new Set<string>();
  for (const path of paths) if (!OWN.test(baseOf(path))) named.add(folded(path.replace(MARKDOWN, "")));
  const stemOf = (path: string) => {
    const folder = folderOf(path);
    return OWN.test(baseOf(path)) && folder !== "" && !named.has(folded(folder)) ? folder : path.replace(MARKDOWN, "");
  };
  return { stemOf, parentOf: (path) => folderOf(stemOf(path)), levelOf: (path) => stemOf(path).split("/").length };
}

/** The name in this folder that nobody else has. */
export function freePath(folder: string, name: string, taken: ReadonlySet<string>): string {
  const at = (suffix: string) => `${folder ? `${folder}/` : ""}${name}${suffix}`;
  for (let count = 1; ; count++) {
    const stem = at(count === 1 ? "" : `-${count}`);
    if (!taken.has(folded(`${stem}.md`)) && !taken.has(folded(stem))) return `${stem}.md`;
  }
}
/** Every path and every folder on the way to it, as they are compared. */
export function takenBy(paths: Iterable<string>): Set<string> {
  const taken = new Set<string>();
  for (const path of paths) for (let at = folded(path); at !== "" && !taken.has(at); at = folderOf(at)) taken.add(at);
  return taken;
}
