// Editor commands at the selection, shared by the slash menu, the toolbar and the keyboard shortcuts.
import { lift, setBlockType, toggleMark, wrapIn } from "@tiptap/pm/commands";
import type { MarkType, NodeType } from "@tiptap/pm/model";
import { liftListItem, wrapInList } from "@tiptap/pm/schema-list";
import type { Command, EditorState } from "@tiptap/pm/state";
import type { Key } from "../messages/t.ts";
import { insertTable } from "./tables.ts";

const typeOf = (state: EditorState, name: string) => state.schema.nodes[name] as NodeType;
/** Name of the innermost ancestor of the caret with one of the given types. */
export function around(state: EditorState, ...names: string[]): string | null {
  const { $from } = state.selection;
  for (let depth = $from.depth; depth > 0; depth--) {
    const { name } = $from.node(depth).type;
    if (names.includes(name)) return name;
  }
  return null;
}

const becomes =
  (name: string, attrs?: Record<string, unknown>): Command =>
  (state, dispatch) =>
    setBlockType(typeOf(state, name), attrs)(state, dispatch);
const wraps =
  (name: string, attrs?: Record<string, unknown>): Command =>
  (state, dispatch) =>
    around(state, name) ? lift(state, dispatch) : wrapIn(typeOf(state, name), attrs)(state, dispatch);

export const inItem =
  (command: (type: NodeType) => Command): Command =>
  (state, dispatch, view) => {
    const item = around(state, "task_item", "list_item");
    return item !== null && command(typeOf(state, item))(state, dispatch, view);
  };

/**
 * Toggles a list of the given item type: wraps a paragraph, converts a list of another kind, and unwraps a list of the
 * same kind.
 */
const lists =
  (list: "bullet_list" | "ordered_list", item: "list_item" | "task_item"): Command =>
  (state, dispatch, view) => {
    const [now, within] = [around(state, "list_item", "task_item"), around(state, "bullet_list", "ordered_list")];
    if (now === null) {
      if (item === "list_item") return wrapInList(typeOf(state, list))(state, dispatch, view);
      const range = state.selection.$from.blockRange(state.selection.$to);
      if (!range) return false;
      const types = [{ type: typeOf(state, list) }, { type: typeOf(state, item), attrs: { checked: false } }];
      dispatch?.(state.tr.wrap(range, types).scrollIntoView());
      return true;
    }
    if (now === item && within === list) return liftListItem(typeOf(state, item))(state, dispatch, view);
    const { $from } = state.selection;
    const { tr } = state;
    for (let depth = $from.depth; depth > 0; depth--) {
      const node = $from.node(depth);
      if (node.type.name === now && now !== item)
        tr.setNodeMarkup($from.before(depth), typeOf(state, item), item === "task_item" ? { checked: false } : null);
      if (node.type.name === within) {
        if (within !== list) tr.setNodeMarkup($from.before(depth), typeOf(state, list));
        break;
      }
    }
    dispatch?.(tr);
    return true;
  };

const inserts =
  (name: string): Command =>
  (state, dispatch) => {
    dispatch?.(state.tr.replaceSelectionWith(typeOf(state, name).create()).scrollIntoView());
    return true;
  };
const details: Command = (state, dispatch) => {
  const { summary, paragraph } = state.schema.nodes;
  const made = typeOf(state, "details").create(null, [summary?.create(), paragraph?.create()] as never);
  dispatch?.(state.tr.replaceSelectionWith(made).scrollIntoView());
  return true;
};
export const toggleDone: Command = (state, dispatch) => {
  const { $from } = state.selection;
  for (let depth = $from.depth; depth > 0; depth--) {
    const node = $from.node(depth);
    if (node.type.name !== "task_item") continue;
    dispatch?.(state.tr.setNodeMarkup($from.before(depth), null, { checked: !node.attrs.checked }));
    return true;
  }
  return false;
};

export interface Block {
  id: string;
  label: Key;
  /** Markdown shortcut at the beginning of a line. */
  hint: string;
  run: Command;
}
export const blocks: readonly Block[] = [
  { id: "text", label: "edit.text", hint: "", run: becomes("paragraph") },
  { id: "heading1", label: "edit.heading1", hint: "#", run: becomes("heading", { level: 1 }) },
  { id: "heading2", label: "edit.heading2", hint: "##", run: becomes("heading", { level: 2 }) },
  { id: "heading3", label: "edit.heading3", hint: "###", run: becomes("heading", { level: 3 }) },
  { id: "bullets", label: "edit.bullets", hint: "-", run: lists("bullet_list", "list_item") },
  { id: "numbers", label: "edit.numbers", hint: "1.", run: lists("ordered_list", "list_item") },
  { id: "tasks", label: "edit.tasks", hint: "[]", run: lists("bullet_list", "task_item") },
  { id: "quote", label: "edit.quote", hint: ">", run: wraps("blockquote") },
  { id: "code", label: "edit.codeBlock", hint: "```", run: becomes("code_block", { language: null }) },
  { id: "table", label: "edit.table", hint: "", run: insertTable },
  { id: "note", label: "edit.callout.note", hint: "", run: wraps("callout", { kind: "note" }) },
  { id: "tip", label: "edit.callout.tip", hint: "", run: wraps("callout", { kind: "tip" }) },
  { id: "warning", label: "edit.callout.warning", hint: "", run: wraps("callout", { kind: "warning" }) },
  { id: "details", label: "edit.details", hint: "", run: details },
  { id: "divider", label: "edit.divider", hint: "---", run: inserts("divider") },
];
export const blockOf = (id: string) => (blocks.find((block) => block.id === id) as Block).run;

export const styles = [
  { id: "bold", label: "edit.bold", keys: "Mod-b" },
  { id: "italic", label: "edit.italic", keys: "Mod-i" },
  { id: "underline", label: "edit.underline", keys: "Mod-u" },
  { id: "strike", label: "edit.strike", keys: "Mod-Shift-x" },
  { id: "code", label: "edit.code", keys: "Mod-e" },
  { id: "highlight", label: "edit.highlight", keys: "Mod-Shift-h" },
] as const;
export const toggles =
  (name: string): Command =>
  (state, dispatch) =>
    toggleMark(state.schema.marks[name] as MarkType)(state, dispatch);
export function hasMark(state: EditorState, name: string): boolean {
  const { from, to, empty, $from } = state.selection;
  const mark = state.schema.marks[name] as MarkType;
  if (empty) return mark.isInSet(state.storedMarks ?? $from.marks()) !== undefined;
  return state.doc.rangeHasMark(from, to, mark);
}
/** Sets the link of the selection, or removes it. */
export const links =
  (href: string | null): Command =>
  (state, dispatch) => {
    const { from, to } = state.selection;
    const mark = state.schema.marks.link as MarkType;
    const tr = state.tr.removeMark(from, to, mark);
    if (href !== null) {
      if (from === to) tr.insertText(href, from);
      tr.addMark(from, from === to ? from + href.length : to, mark.create({ href, title: null }));
    }
    dispatch?.(tr);
    return true;
  };
