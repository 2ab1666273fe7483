// Compares two contents: block by block, and word by word within changed blocks, as data for highlighting; and line by
// line in their Markdown, as a unified diff. Pure.
import { difference, type Step } from "@svc/document/difference.ts";
import { type DocumentJson, type NodeJson, toText } from "@svc/document/document.ts";

export interface Side<Content = DocumentJson> {
  /** Name of the file in the diff. */
  name: string;
  content: Content;
  markdown: string;
}
interface Words {
  kind: Step["kind"];
  text: string;
}
interface Block {
  kind: Step["kind"] | "changed";
  node: string;
  /** Index of the block on either side. */
  from: number | null;
  to: number | null;
  words: Words[];
}
export interface Compared {
  blocks: Block[];
  markdown_diff: string;
}

export const compare = (from: Side, to: Side): Compared => ({
  blocks: blocksOf(from.content.content, to.content.content),
  markdown_diff: unified(from, to),
});

const textOf = (node: NodeJson) => toText({ type: "doc", content: [node] });

function blocksOf(before: readonly NodeJson[], after: readonly NodeJson[]): Block[] {
  const keys = (nodes: readonly NodeJson[]) => nodes.map((node) => JSON.stringify(node));
  const steps = difference(keys(before), keys(after));
  return steps.flatMap(({ kind, from, to, count }, at) => {
    const next = steps[at + 1];
    const previous = steps[at - 1];
    // Removed and added blocks in sequence are paired if they have the same type.
    const paired = kind === "removed" && next?.kind === "added" ? next : undefined;
    const taken = kind === "added" && previous?.kind === "removed" ? previous : undefined;
    return Array.from({ length: count }, (_, place): Block[] => {
      const [one, other] = [before[from + place] as NodeJson, after[to + place] as NodeJson];
      if (kind === "same") return [alike(one, from + place, to + place)];
      const pair = paired ? after[paired.to + place] : taken ? before[taken.from + place] : undefined;
      const isPair = (a: NodeJson, b: NodeJson | undefined, room: number) => place < room && a.type === b?.type;
      if (kind === "removed") {
        if (!isPair(one, pair, paired?.count ?? 0)) return [alone("removed", one, from + place)];
        return [changed(one, pair as NodeJson, from + place, (paired as Step).to + place)];
      }
      return isPair(other, pair, taken?.count ?? 0) ? [] : [alone("added", other, to + place)];
    }).flat();
  });
}

const said = (kind: Step["kind"], text: string): Words[] => (text === "" ? [] : [{ kind, text }]);
const alike = (node: NodeJson, from: number, to: number): Block => ({
  kind: "same",
  node: node.type,
  from,
  to,
  words: said("same", textOf(node)),
});
const alone = (kind: "removed" | "added", node: NodeJson, place: number): Block => ({
  kind,
  node: node.type,
  from: kind === "removed" ? place : null,
  to: kind === "added" ? place : null,
  words: said(kind, textOf(node)),
});

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}\p{M}]+|\s+|[^\p{L}\p{N}\p{M}\s]/gu) ?? [];
function changed(one: NodeJson, other: NodeJson, from: number, to: number): Block {
  const [before, after] = [wordsOf(textOf(one)), wordsOf(textOf(other))];
  const words = difference(before, after).flatMap((step) =>
    said(
      step.kind,
      (step.kind === "added"
        ? after.slice(step.to, step.to + step.count)
        : before.slice(step.from, step.from + step.count)
      ).join(""),
    ),
  );
  return { kind: "changed", node: one.type, from, to, words };
}

/** Number of context lines before and after a change. */
const AROUND = 3;
function unified(from: Side, to: Side): string {
  const lines = (markdown: string) => (markdown === "" ? [] : markdown.split("\n"));
  const [before, after] = [lines(from.markdown), lines(to.markdown)];
  const steps = difference(before, after);
  if (steps.every(({ kind }) => kind === "same")) return "";
  const hunks: string[] = [];
  let hunk: string[] = [];
  let [start, startAfter, gone, come] = [0, 0, 0, 0];
  const add = (sign: string, texts: readonly string[]) => hunk.push(...texts.map((text) => sign + text));
  const close = () => {
    const place = (line: number, count: number) => `${count === 0 ? line : line + 1},${count}`;
    hunks.push(`@@ -${place(start, gone)} +${place(startAfter, come)} @@`, ...hunk);
    hunk = [];
  };
  for (const [at, { kind, from: line, to: lineAfter, count }] of steps.entries()) {
    if (kind !== "same") {
      add(
        kind === "removed" ? "-" : "+",
        kind === "removed" ? before.slice(line, line + count) : after.slice(lineAfter, lineAfter + count),
      );
      if (kind === "removed") gone += count;
      else come += count;
      continue;
    }
    const [behind, ahead] = [at === 0 ? 0 : AROUND, at === steps.length - 1 ? 0 : AROUND];
    if (at > 0 && count > behind + ahead) {
      add(" ", before.slice(line, line + behind));
      [gone, come] = [gone + behind, come + behind];
      close();
    }
    const kept = at > 0 && count <= behind + ahead ? count : Math.min(ahead, count);
    const first = line + count - kept;
    if (hunk.length === 0) [start, startAfter, gone, come] = [first, lineAfter + count - kept, 0, 0];
    add(" ", before.slice(first, line + count));
    [gone, come] = [gone + kept, come + kept];
  }
  if (hunk.length > 0) close();
  return [`--- ${from.name}`, `+++ ${to.name}`, ...hunks, ""].join("\n");
}
