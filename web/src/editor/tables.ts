// Table commands. Tables are rectangular: every row has the same number of cells, no cell spans others, and the first
// row is the header. Commands add and remove rows and columns, and navigate between cells.
import type { Node, ResolvedPos } from "@tiptap/pm/model";
import { type Command, type EditorState, TextSelection, type Transaction } from "@tiptap/pm/state";

interface Place {
  table: Node;
  /** Document position of the table. */
  at: number;
  row: number;
  column: number;
}
function depthOf($pos: ResolvedPos, name: string): number | null {
  for (let depth = $pos.depth; depth > 0; depth--) if ($pos.node(depth).type.name === name) return depth;
  return null;
}
export function placeIn({ selection }: EditorState): Place | null {
  const { $head } = selection;
  const depth = depthOf($head, "table");
  if (depth === null || $head.depth < depth + 2) return null;
  return { table: $head.node(depth), at: $head.before(depth), row: $head.index(depth), column: $head.index(depth + 1) };
}
export const isInTable = (state: EditorState) => placeIn(state) !== null;

/** Replaces the rows of a table and moves the caret into the given cell. */
function replaced(
  state: EditorState,
  { table, at }: Place,
  rows: readonly Node[],
  row: number,
  column: number,
): Transaction {
  const next = table.type.create(table.attrs, [...rows]);
  const tr = state.tr.replaceWith(at, at + table.nodeSize, next);
  return tr.setSelection(TextSelection.near(tr.doc.resolve(insideOf(next, at, row, column)))).scrollIntoView();
}
function insideOf(table: Node, at: number, row: number, column: number): number {
  let pos = at + 2;
  for (let each = 0; each < row; each++) pos += table.child(each).nodeSize;
  for (let each = 0; each < column; each++) pos += table.child(row).child(each).nodeSize;
  return pos + 1;
}
const rowsOf = (table: Node) => Array.from({ length: table.childCount }, (_, at) => table.child(at));
const cellsOf = rowsOf;

type Change = (state: EditorState, place: Place) => Transaction | null;
const command =
  (change: Change): Command =>
  (state, dispatch) => {
    const place = placeIn(state);
    const tr = place && change(state, place);
    if (tr) dispatch?.(tr);
    return tr !== null;
  };
const emptyCell = (state: EditorState, isHead: boolean) =>
  state.schema.nodes[isHead ? "table_header" : "table_cell"]?.create(isHead ? { align: null } : null) as Node;

export const addRow = command((state, place) => {
  const { table, row, column } = place;
  const cells = cellsOf(table.child(0)).map(() => emptyCell(state, false));
  const rows = rowsOf(table);
  const made = state.schema.nodes.table_row?.create(null, cells) as Node;
  return replaced(state, place, rows.toSpliced(row + 1, 0, made), row + 1, column);
});
export const removeRow = command((state, place) => {
  const { table, row, column } = place;
  // The header row cannot be removed.
  if (row === 0) return null;
  return replaced(state, place, rowsOf(table).toSpliced(row, 1), Math.max(0, row - 1), column);
});
const eachRow = (table: Node, change: (cells: Node[], row: number) => Node[]) =>
  rowsOf(table).map((row, at) => row.type.create(null, change(cellsOf(row), at)));
export const addColumn = command((state, place) => {
  const { table, row, column } = place;
  const rows = eachRow(table, (cells, at) => cells.toSpliced(column + 1, 0, emptyCell(state, at === 0)));
  return replaced(state, place, rows, row, column + 1);
});
export const removeColumn = command((state, place) => {
  const { table, row, column } = place;
  if (table.child(0).childCount === 1) return null;
  const rows = eachRow(table, (cells) => cells.toSpliced(column, 1));
  return replaced(state, place, rows, row, Math.max(0, column - 1));
});
export const removeTable = command((state, { table, at }) => state.tr.delete(at, at + table.nodeSize).scrollIntoView());
/** Moves to the next or previous cell; after the last cell it adds a row. */
export const walk = (step: 1 | -1): Command =>
  command((state, place) => {
    const { table, at, row, column } = place;
    const width = table.child(row).childCount;
    const next = row * width + column + step;
    if (next < 0) return null;
    if (next >= width * table.childCount) {
      let made: Transaction | null = null;
      addRow(state, (tr) => {
        made = tr;
      });
      const grown = made as Transaction | null;
      const last = grown?.doc.nodeAt(at) as Node;
      return grown?.setSelection(TextSelection.near(grown.doc.resolve(insideOf(last, at, row + 1, 0)))) ?? null;
    }
    const to = insideOf(table, at, Math.floor(next / width), next % width);
    return state.tr.setSelection(TextSelection.near(state.doc.resolve(to))).scrollIntoView();
  });

/** Inserts three columns, a header and two rows, and moves the caret into the first cell. */
export const insertTable: Command = (state, dispatch) => {
  const { table, table_row } = state.schema.nodes;
  if (!table || !table_row || isInTable(state)) return false;
  const row = (isHead: boolean) =>
    table_row.create(
      null,
      [0, 1, 2].map(() => emptyCell(state, isHead)),
    );
  const made = table.create(null, [row(true), row(false), row(false)]);
  if (dispatch) {
    const tr = state.tr.replaceSelectionWith(made);
    let at = -1;
    tr.doc.descendants((node, pos) => {
      if (at === -1 && node === made) at = pos;
      return at === -1;
    });
    if (at >= 0) tr.setSelection(TextSelection.near(tr.doc.resolve(insideOf(made, at, 0, 0))));
    dispatch(tr.scrollIntoView());
  }
  return true;
};
