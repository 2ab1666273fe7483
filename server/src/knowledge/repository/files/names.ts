// File names: which are safe, which belong to Documents, the name of a Document's file, and its folder. Pure. A
// Document is `name.md`, and its descendants are in `name/`. A README.md or index.md is the Document of its folder.

const MOST_NAME = 60;
export const MOST_LEVELS = 20;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|readme|index)$/;
const OWN = /^(?:readme|index)\.(?:md|markdown)$/i;
const MARKDOWN = /\.(?:md|markdown)$/i;

/**
 * File name of a title: lowercase letters and digits of any script, separated by hyphens. The same on every platform.
 */
export function nameOf(title: string): string {
  const words = title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  const name = [...words].slice(0, MOST_NAME).join("").replace(/-+$/, "") || "document";
  return RESERVED.test(name) ? `${name}-1` : name;
}

/** Title for a file or folder that was named in the repository. */
export function titleOf(name: string): string {
  const words =
    name
      .replace(MARKDOWN, "")
      .replace(/[-_\s]+/g, " ")
      .trim() || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Normal form of a path for case-insensitive comparison. */
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
/** Markdown files outside of hidden folders such as .github. */
export const isOurs = (path: string) =>
  MARKDOWN.test(path) && !path.split("/").some((segment) => segment.startsWith("."));

export const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const baseOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
export const lastOf = baseOf;

export interface Places {
  /** The folder of the Document's descendants. */
  stemOf(path: string): string;
  /** The folder that contains the Document. */
  parentOf(path: string): string;
  levelOf(path: string): number;
}
/**
 * Maps these files to their folders: a README is the Document of its folder unless a file beside the folder has the
 * folder's name.
 */
export function placesIn(paths: Iterable<string>): Places {
  const named = new Set<string>();
  for (const path of paths) if (!OWN.test(baseOf(path))) named.add(folded(path.replace(MARKDOWN, "")));
  const stemOf = (path: string) => {
    const folder = folderOf(path);
    return OWN.test(baseOf(path)) && folder !== "" && !named.has(folded(folder)) ? folder : path.replace(MARKDOWN, "");
  };
  return { stemOf, parentOf: (path) => folderOf(stemOf(path)), levelOf: (path) => stemOf(path).split("/").length };
}

/** A path in this folder that is not in use. */
export function freePath(folder: string, name: string, taken: ReadonlySet<string>): string {
  const at = (suffix: string) => `${folder ? `${folder}/` : ""}${name}${suffix}`;
  for (let count = 1; ; count++) {
    const stem = at(count === 1 ? "" : `-${count}`);
    if (!taken.has(folded(`${stem}.md`)) && !taken.has(folded(stem))) return `${stem}.md`;
  }
}
/** Every path and all of its parent folders, in normal form. */
export function takenBy(paths: Iterable<string>): Set<string> {
  const taken = new Set<string>();
  for (const path of paths) for (let at = folded(path); at !== "" && !taken.has(at); at = folderOf(at)) taken.add(at);
  return taken;
}
