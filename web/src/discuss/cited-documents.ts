// Extracts the Documents that an answer cites in its text. Pure.
export type Source =
  | { kind: "task" | "project"; id: string; code: string }
  | { kind: "document"; path: string; title: string };

const LINK = /\[([^\][]*)\]\((?:svc:\/\/document\/|\/workspaces\/[^/\s()]+\/documents\/)([^()\s]+)\)/g;
const QUOTED = /^— (.+) \(([^()\s]+)\)$/gm;
/** Finds Documents cited by a link or as the source of a quotation. */
export function documentsIn(text: string): Source[] {
  const found = new Map<string, Source>();
  for (const [, title = "", path = ""] of [...text.matchAll(LINK), ...text.matchAll(QUOTED)])
    if (!found.has(path)) found.set(path, { kind: "document", path, title: title || path });
  return [...found.values()];
}
