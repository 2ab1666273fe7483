// Three-way merge of a Document by its blocks.
import { difference } from "@svc/document/difference.ts";
import { fromMarkdown, toMarkdown } from "@svc/document/document.ts";

/** Blocks of a Document, in the canonical Markdown of the service. */
export const blocksOf = (markdown: string): string[] =>
  markdown.trim() === ""
    ? []
    : fromMarkdown(markdown).content.map((node) => toMarkdown({ type: "doc", content: [node] }));
export const joined = (blocks: readonly string[]) => blocks.join("\n\n");

/** Replaces `count` blocks of the base, starting at `at`. */
interface Hunk {
  at: number;
  count: number;
  blocks: string[];
}
function hunksOf(base: readonly string[], next: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let open: Hunk | undefined;
  for (const { kind, from, to, count } of difference(base, next)) {
    if (kind === "same") {
      open = undefined;
      continue;
    }
    if (!open) {
      open = { at: from, count: 0, blocks: [] };
      hunks.push(open);
    }
    if (kind === "removed") open.count += count;
    else open.blocks.push(...next.slice(to, to + count));
  }
  return hunks;
}

/** Merges both sides into one text. Overlapping changes appear both, between conflict markers. */
export function merged(base: readonly string[], mine: readonly string[], theirs: readonly string[]) {
  const sides = [hunksOf(base, mine), hunksOf(base, theirs)] as const;
  const blocks: string[] = [];
  let [at, conflicts] = [0, 0];
  const next = [0, 0];
  for (;;) {
    const [one, other] = [sides[0][next[0] as number], sides[1][next[1] as number]];
    const start = Math.min(one?.at ?? base.length, other?.at ?? base.length);
    if (!one && !other) {
      blocks.push(...base.slice(at));
      return { blocks, conflicts };
    }
    blocks.push(...base.slice(at, start));
    // Joins all hunks of both sides that touch each other into one range of the base.
    let end = start;
    const taken: [Hunk[], Hunk[]] = [[], []];
    for (let grew = true; grew; ) {
      grew = false;
      for (const side of [0, 1] as const) {
        const hunk = sides[side][next[side] as number];
        if (!hunk || (hunk.at !== start && hunk.at >= end)) continue;
        taken[side].push(hunk);
        next[side] = (next[side] as number) + 1;
        end = Math.max(end, hunk.at + hunk.count);
        grew = true;
      }
    }
    const sideOf = (hunks: readonly Hunk[]) => {
      const found: string[] = [];
      let place = start;
      for (const hunk of hunks) {
        found.push(...base.slice(place, hunk.at), ...hunk.blocks);
        place = hunk.at + hunk.count;
      }
      return [...found, ...base.slice(place, end)];
    };
    const [ours, others] = [sideOf(taken[0]), sideOf(taken[1])];
    if (taken[1].length === 0 || joined(ours) === joined(others)) blocks.push(...ours);
    else if (taken[0].length === 0) blocks.push(...others);
    else {
      conflicts++;
      blocks.push("<<<<<<< yours", ...ours, "=======", ...others, ">>>>>>> theirs");
    }
    at = end;
  }
}
