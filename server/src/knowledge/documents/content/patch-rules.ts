// Block edits of a content: locates and applies them, and rebases them onto a later content if nothing that they touch
// has changed. An invalid edit is refused with a pointer to it. Pure.
import { difference } from "@svc/document/difference.ts";
import { type DocumentJson, fromMarkdown, InvalidContent, type NodeJson, toMarkdown } from "@svc/document/document.ts";

export interface Edit {
  action: "replace" | "insert_after" | "remove" | "find_replace" | "rewrite";
  block?: number | null;
  count?: number;
  markdown?: string;
  find?: string;
  replace?: string;
}
/** A range in the Markdown of one block. */
interface Piece {
  start: number;
  end: number;
  text: string;
}
/**
 * Replaces `count` blocks from `at` by the nodes; a count of 0 inserts. With a piece, changes only that range of one
 * block.
 */
interface Span {
  edit: number;
  at: number;
  count: number;
  nodes: readonly NodeJson[];
  piece?: Piece;
}

const invalid = (edit: number, field: string, message: string): never => {
  throw new InvalidContent(`/${edit}/${field}`, message);
};
const FIELDS: Record<Edit["action"], readonly (keyof Edit)[]> = {
  replace: ["block", "count", "markdown"],
  insert_after: ["block", "markdown"],
  remove: ["block", "count"],
  find_replace: ["find", "replace"],
  rewrite: ["markdown"],
};
const OPTIONAL = new Set<keyof Edit>(["count"]);

function requireFields(edit: Edit, at: number): void {
  const own = FIELDS[edit.action];
  for (const field of own)
    if (edit[field] === undefined && !OPTIONAL.has(field)) invalid(at, field, `is what ${edit.action} needs`);
  for (const field of Object.keys(edit) as (keyof Edit)[])
    if (field !== "action" && !own.includes(field)) invalid(at, field, `is not a field of ${edit.action}`);
}

const markdownOf = (node: NodeJson) => toMarkdown({ type: "doc", content: [node] });
/** An empty text has no blocks. */
const blocksOf = (markdown: string): NodeJson[] =>
  markdown.trim() === "" ? [] : fromMarkdown(markdown, { limited: true }).content;

/** Finds up to two occurrences: more than one is as invalid as none. */
function placesOf(find: string, texts: readonly string[]): { at: number; start: number }[] {
  const found: { at: number; start: number }[] = [];
  for (const [at, text] of texts.entries())
    for (let start = text.indexOf(find); start >= 0; start = text.indexOf(find, start + 1)) {
      found.push({ at, start });
      if (found.length > 1) return found;
    }
  return found;
}

function spanOf(edit: Edit, index: number, base: readonly NodeJson[], texts: () => readonly string[]): Span {
  requireFields(edit, index);
  const { action, block = null, count = 1, markdown = "", find = "", replace = "" } = edit;
  if (action === "find_replace") {
    const [place, other] = placesOf(find, texts());
    if (!place || other)
      return invalid(
        index,
        "find",
        `must stand exactly once, in one block; it stands ${place ? "there more often" : "nowhere"}`,
      );
    const piece = { start: place.start, end: place.start + find.length, text: replace };
    return { edit: index, at: place.at, count: 1, nodes: [], piece };
  }
  const inserts = action === "insert_after";
  if (block === null && !inserts) return invalid(index, "block", "must be the number of a block");
  const last = block === null ? -1 : block + (inserts ? 1 : count) - 1;
  if (last >= base.length) invalid(index, "block", `must be of the ${base.length} blocks of base_revision`);
  const nodes = action === "remove" ? [] : blocksOf(markdown);
  return inserts
    ? { edit: index, at: (block ?? -1) + 1, count: 0, nodes }
    : { edit: index, at: block as number, count, nodes };
}

/** Sorts by block; edits of the same block keep their order. */
function spansOf(base: readonly NodeJson[], edits: readonly Edit[]): Span[] {
  let known: string[] | undefined;
  const texts = () => {
    known ??= base.map(markdownOf);
    return known;
  };
  const spans = edits.map((edit, index) => spanOf(edit, index, base, texts));
  spans.sort((a, b) => a.at - b.at || a.count - b.count || (a.piece?.start ?? 0) - (b.piece?.start ?? 0));
  for (const [place, { edit, at, piece }] of spans.entries()) {
    const before = spans[place - 1];
    if (!before || before.at + before.count <= at) continue;
    const apart = before.piece && piece && before.at === at && before.piece.end <= piece.start;
    if (!apart) invalid(edit, edits[edit]?.action === "find_replace" ? "find" : "block", "is touched by another edit");
  }
  return spans;
}

function applied(base: readonly NodeJson[], spans: readonly Span[]): DocumentJson {
  const content: NodeJson[] = [];
  let next = 0;
  for (let place = 0; place < spans.length; place++) {
    const { at, count, nodes, piece } = spans[place] as Span;
    content.push(...base.slice(next, at));
    next = at + count;
    if (!piece) {
      content.push(...nodes);
      continue;
    }
    const pieces = [piece];
    for (let more = spans[place + 1]; more?.piece && more.at === at; more = spans[place + 1]) {
      pieces.push(more.piece);
      place++;
    }
    const text = markdownOf(base[at] as NodeJson);
    const kept = pieces.map(({ start, text: said }, index) => text.slice(pieces[index - 1]?.end ?? 0, start) + said);
    content.push(...blocksOf(kept.join("") + text.slice(pieces.at(-1)?.end)));
  }
  content.push(...base.slice(next));
  return { type: "doc", content: content.length > 0 ? content : [{ type: "paragraph" }] };
}

const keysOf = (nodes: readonly NodeJson[]) => nodes.map((node) => JSON.stringify(node));
/**
 * Converts a rewrite to edits of only those blocks that differ, so that others may change the remaining ones
 * concurrently.
 */
function ofBlocks(base: readonly NodeJson[], edits: readonly Edit[]): Edit[] {
  const at = edits.findIndex(({ action }) => action === "rewrite");
  if (at < 0) return [...edits];
  const edit = edits[at] as Edit;
  requireFields(edit, at);
  if (edits.length > 1) invalid(at, "action", "must be the only edit");
  const after = blocksOf(edit.markdown ?? "");
  const found: Edit[] = [];
  let [gone, come] = [0, 0];
  const close = (from: number, to: number) => {
    const block = from - gone;
    const markdown = toMarkdown({ type: "doc", content: after.slice(to - come, to) });
    if (gone === 0 && come > 0) found.push({ action: "insert_after", block: block === 0 ? null : block - 1, markdown });
    else if (come === 0 && gone > 0) found.push({ action: "remove", block, count: gone });
    else if (gone > 0) found.push({ action: "replace", block, count: gone, markdown });
    [gone, come] = [0, 0];
  };
  for (const { kind, from, to, count } of difference(base.map(markdownOf), after.map(markdownOf))) {
    if (kind === "same") close(from, to);
    if (kind === "removed") gone += count;
    if (kind === "added") come += count;
  }
  close(base.length, after.length);
  return found.length > 0 ? found : invalid(at, "markdown", "is what the Document says already");
}

export type Patched = { edits: Edit[]; content: DocumentJson } | { conflicts: number[] };

/** Applies edits to the content. */
export function patched({ content }: DocumentJson, edits: readonly Edit[]): Patched {
  const made = ofBlocks(content, edits);
  return { edits: made, content: applied(content, spansOf(content, made)) };
}

/**
 * Rebases edits onto a later content: every block that they touch or follow must exist unchanged, and contiguous ones
 * must stay contiguous.
 */
export function rebased(base: DocumentJson, onto: DocumentJson, edits: readonly Edit[]): Patched {
  const now = new Map<number, number>();
  for (const { kind, from, to, count } of difference(keysOf(base.content), keysOf(onto.content)))
    if (kind === "same") for (let place = 0; place < count; place++) now.set(from + place, to + place);
  const spans = spansOf(base.content, edits);
  const conflicts: number[] = [];
  const moved = [...edits];
  for (const { edit, at, count } of spans) {
    const first = count === 0 ? at - 1 : at;
    const there = now.get(first);
    const whole = Array.from({ length: count }, (_, place) => now.get(at + place)).every(
      (place, index) => place !== undefined && place === (there ?? 0) + index,
    );
    // The first block has no preceding block.
    if (first >= 0 && (there === undefined || !whole)) conflicts.push(edit);
    else if (edits[edit]?.action !== "find_replace" && first >= 0)
      moved[edit] = { ...(edits[edit] as Edit), block: there };
  }
  if (conflicts.length > 0) return { conflicts: conflicts.sort((a, b) => a - b) };
  const twice = moved.flatMap(({ action, find = "" }, index) =>
    action === "find_replace" && placesOf(find, onto.content.map(markdownOf)).length !== 1 ? [index] : [],
  );
  return twice.length > 0 ? { conflicts: twice } : patched(onto, moved);
}
