// Tables that fit the terminal, and the width of a text there: an emoji or an ideograph takes two columns, a combining
// mark none.
import { type Screen, safeLine } from "./screen.ts";

const segmenter = () => new Intl.Segmenter(undefined, { granularity: "grapheme" });
let graphemes: Intl.Segmenter | undefined;
const piecesOf = (text: string): string[] => {
  graphemes ??= segmenter();
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
};

/** Ranges of UAX #11 that are wide or full-width. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

function widthOfPiece(piece: string): number {
  if (NOTHING.test(piece)) return 0;
  const point = piece.codePointAt(0) as number;
  if (EMOJI.test(piece) || WIDE.some(([from, to]) => point >= from && point <= to)) return 2;
  return 1;
}
const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text);

export const widthOf = (text: string): number =>
  isPlain(text) ? text.length : piecesOf(text).reduce((sum, piece) => sum + widthOfPiece(piece), 0);

/** Truncates to a width; a truncated text ends with an ellipsis. */
export function cut(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  let [kept, width] = ["", 0];
  for (const piece of piecesOf(text)) {
    const next = width + widthOfPiece(piece);
    if (next > most - 1) break;
    kept += piece;
    width = next;
  }
  return most < 1 ? "" : `${kept}…`;
}

export interface Column<Row> {
  title: string;
  of(row: Row): string | null | undefined;
  colour?: Parameters<Screen["colour"]>[0];
  /** Shrinks at a narrow terminal, the widest column first; other columns are never truncated. */
  shrinks?: true;
}

const GAP = "  ";
const LEAST = 4;

/** At a terminal: with a header and truncated to fit. Otherwise: complete cells, separated by tabs. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], screen: Screen): string {
  const cells = rows.map((row) => columns.map(({ of }) => safeLine(of(row) ?? "")));
  if (screen.columns === null) return cells.map((line) => line.join("\t")).join("\n");
  const shown = columns.flatMap((column, at) => (cells.some((line) => line[at] !== "") ? [{ column, at }] : []));
  const widths = shown.map(({ column, at }) =>
    Math.max(widthOf(column.title), ...cells.map((line) => widthOf(line[at] as string))),
  );
  const over = () =>
    widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - (screen.columns ?? 0);
  for (let left = over(); left > 0; left = over()) {
    const [widest] = shown
      .map(({ column }, at) => ({ at, width: widths[at] as number, shrinks: column.shrinks }))
      .filter(({ width, shrinks }) => shrinks && width > LEAST)
      .sort((a, b) => b.width - a.width);
    if (!widest) break;
    const next = shown
      .map(({ column }, at) => (column.shrinks && at !== widest.at ? (widths[at] as number) : 0))
      .reduce((a, b) => Math.max(a, b), LEAST);
    widths[widest.at] = Math.max(LEAST, widest.width - left, Math.min(next, widest.width - 1));
  }
  const lineOf = (texts: readonly string[], colourOf: (at: number) => Column<Row>["colour"]) =>
    texts
      .map((text, at) => {
        const fitted = cut(text, widths[at] as number);
        const padding = at === texts.length - 1 ? "" : " ".repeat((widths[at] as number) - widthOf(fitted));
        const colour = colourOf(at);
        return (colour ? screen.colour(colour, fitted) : fitted) + padding;
      })
      .join(GAP)
      .trimEnd();
  return [
    lineOf(
      shown.map(({ column }) => column.title.toUpperCase()),
      () => "dim",
    ),
    ...cells.map((line) =>
      lineOf(
        shown.map(({ at }) => line[at] as string),
        (at) => shown[at]?.column.colour,
      ),
    ),
  ].join("\n");
}

/** Names and values in two columns; pairs without a value are omitted. */
export function fields(pairs: readonly (readonly [string, string | null | undefined])[], screen: Screen): string {
  const known = pairs.filter((pair): pair is [string, string] => Boolean(pair[1]));
  const widest = Math.max(0, ...known.map(([name]) => name.length));
  return known
    .map(([name, value]) =>
      screen.columns === null
        ? `${name}\t${safeLine(value)}`
        : `${screen.colour("dim", name.padEnd(widest))}${GAP}${safeLine(value)}`,
    )
    .join("\n");
}
