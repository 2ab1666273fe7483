// The sources as the rules of architecture.ts read them: each file with its text, and its imports.
import { posix } from "node:path";

export interface File {
  path: string;
  text: string;
}
export type Rule = (files: readonly File[]) => string[];

export const isTest = (path: string) =>
  path.includes(".test.") || /^(?:cli|client|document|server|web)\/test\//.test(path);

interface Import {
  from: string;
  /** The path of a file of ours, or the name of a package. */
  to: string;
  typeOnly: boolean;
}
const IMPORT = /^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;
export function importsOf({ path, text }: File): Import[] {
  return [...text.matchAll(IMPORT)].map(([, type, named, bare, dynamic]) => {
    const name = (named ?? bare ?? dynamic) as string;
    const to = name.startsWith(".") ? posix.join(posix.dirname(path), name) : name.replace(/^@svc\/(\w+)\//, "$1/src/");
    return { from: path, to, typeOnly: type !== undefined };
  });
}
export const importsIn = (files: readonly File[]) => files.filter(({ path }) => !isTest(path)).flatMap(importsOf);
