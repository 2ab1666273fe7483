// Input rules and keymap: Markdown shortcuts at the beginning of a line or around words, and the usual editor keys.
import { baseKeymap, chainCommands, exitCode, setBlockType } from "@tiptap/pm/commands";
import { InputRule, inputRules, textblockTypeInputRule, undoInputRule, wrappingInputRule } from "@tiptap/pm/inputrules";
import { keymap } from "@tiptap/pm/keymap";
import type { MarkType, NodeType, Schema } from "@tiptap/pm/model";
import { liftListItem, sinkListItem, splitListItem } from "@tiptap/pm/schema-list";
import type { Command, Plugin } from "@tiptap/pm/state";
import { blockOf, inItem, styles, toggleDone, toggles } from "./commands.ts";
import { isInTable, walk } from "./tables.ts";

/** Turns `**words**` before the caret into marked text without the signs. */
function markRule(expression: RegExp, mark: MarkType): InputRule {
  return new InputRule(expression, (state, match, start, end) => {
    const words = match[1] as string;
    const at = start + match[0].indexOf((match[0].match(/^\s/) ?? [""])[0]) + (/^\s/.test(match[0]) ? 1 : 0);
    const tr = state.tr.insertText(words, at, end);
    tr.addMark(at, at + words.length, mark.create());
    return tr.removeStoredMark(mark);
  });
}
/** `[ ] ` turns a paragraph, or the list item around it, into a task item. */
const taskRule = new InputRule(/^\[([ xX]?)\] $/, (state, match, start, end) => {
  const { bullet_list, task_item } = state.schema.nodes as Record<string, NodeType>;
  const attrs = { checked: /x/i.test(match[1] as string) };
  const tr = state.tr.delete(start, end);
  const $at = tr.doc.resolve(start);
  if ($at.depth > 1 && $at.node(-1).type.name === "list_item")
    return tr.setNodeMarkup($at.before(-1), task_item, attrs);
  const range = $at.blockRange();
  return range && bullet_list && task_item ? tr.wrap(range, [{ type: bullet_list }, { type: task_item, attrs }]) : null;
});

function rules(schema: Schema): Plugin {
  const node = (name: string) => schema.nodes[name] as NodeType;
  const mark = (name: string) => schema.marks[name] as MarkType;
  return inputRules({
    rules: [
      textblockTypeInputRule(/^(#{1,6})\s$/, node("heading"), (match) => ({ level: (match[1] as string).length })),
      textblockTypeInputRule(/^```$/, node("code_block"), { language: null }),
      wrappingInputRule(/^\s*([-+*])\s$/, node("bullet_list")),
      wrappingInputRule(/^(\d{1,9})\.\s$/, node("ordered_list"), (match) => ({ start: Number(match[1]) })),
      wrappingInputRule(/^\s*>\s$/, node("blockquote")),
      taskRule,
      new InputRule(/^(?:---|\*\*\*)$/, (state, _match, start, end) =>
        state.tr.replaceRangeWith(start, end, node("divider").create()),
      ),
      markRule(/(?:^|\s)\*\*([^\s*](?:[^*]*[^\s*])?)\*\*$/, mark("bold")),
      markRule(/(?:^|\s)\*([^\s*](?:[^*]*[^\s*])?)\*$/, mark("italic")),
      markRule(/(?:^|\s)~~([^\s~](?:[^~]*[^\s~])?)~~$/, mark("strike")),
      markRule(/(?:^|\s)`([^`]+)`$/, mark("code")),
      markRule(/(?:^|\s)==([^\s=](?:[^=]*[^\s=])?)==$/, mark("highlight")),
    ],
  });
}

const inTable =
  (command: Command): Command =>
  (state, dispatch, view) =>
    isInTable(state) && command(state, dispatch, view);
const breaks: Command = (state, dispatch) => {
  const made = state.schema.nodes.hard_break?.create();
  if (!made || state.selection.$from.parent.type.spec.code) return false;
  dispatch?.(state.tr.replaceSelectionWith(made).scrollIntoView());
  return true;
};
/** Backspace at the beginning of a heading or code block turns it into a paragraph. */
const plain: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  const { name } = $from.parent.type;
  if (!empty || $from.parentOffset > 0 || !["heading", "code_block"].includes(name)) return false;
  return setBlockType(state.schema.nodes.paragraph as NodeType)(state, dispatch);
};
const indents: Command = (state, dispatch) => {
  if (!state.selection.$from.parent.type.spec.code) return false;
  dispatch?.(state.tr.insertText("\t").scrollIntoView());
  return true;
};
/** A split task item starts unchecked. */
const splits = inItem((type) => splitListItem(type, type.name === "task_item" ? { checked: false } : undefined));

export function typing(schema: Schema): Plugin[] {
  const blocks = { "1": "heading1", "2": "heading2", "3": "heading3", "0": "text" };
  return [
    rules(schema),
    keymap({
      ...Object.fromEntries(styles.map(({ id, keys }) => [keys, toggles(id)])),
      ...Object.fromEntries(Object.entries(blocks).map(([key, id]) => [`Mod-Alt-${key}`, blockOf(id)])),
      "Mod-Shift-7": blockOf("numbers"),
      "Mod-Shift-8": blockOf("bullets"),
      "Mod-Shift-9": blockOf("tasks"),
      "Mod-Enter": chainCommands(toggleDone, exitCode),
      "Shift-Enter": chainCommands(exitCode, breaks),
      Enter: chainCommands(inTable(breaks), splits),
      Tab: chainCommands(inTable(walk(1)), inItem(sinkListItem), indents),
      "Shift-Tab": chainCommands(inTable(walk(-1)), inItem(liftListItem)),
      Backspace: chainCommands(undoInputRule, plain),
    }),
    keymap(baseKeymap),
  ];
}
