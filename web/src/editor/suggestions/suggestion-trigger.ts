// Detects a word typed behind a slash, an @ or a # and reports its position to the suggestion list. The open list
// handles keys first.
import { type EditorState, Plugin } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";

export interface SuggestionTrigger {
  sign: "/" | "@" | "#";
  words: string;
  /** Position of the sign. */
  from: number;
  to: number;
}
const ASKING = /(?:^|[\s(])([/@#])([\p{L}\p{N}_.-]{0,40})$/u;

function askedIn({ selection }: EditorState): SuggestionTrigger | null {
  const { $from, empty } = selection;
  if (!empty || !$from.parent.isTextblock || $from.parent.type.spec.code) return null;
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, "\ufffc");
  const [, sign, words = ""] = ASKING.exec(before) ?? [];
  if (!sign) return null;
  return { sign: sign as SuggestionTrigger["sign"], words, from: $from.pos - words.length - 1, to: $from.pos };
}

interface Listens {
  asked(asked: SuggestionTrigger | null, view: EditorView): void;
  /** Returns true if the list handled the key. */
  key(event: KeyboardEvent): boolean;
}
export const suggesting = (listens: Listens): Plugin =>
  new Plugin({
    props: { handleKeyDown: (_view, event) => listens.key(event) },
    view: () => ({
      update(view, before) {
        if (view.state.doc.eq(before.doc) && view.state.selection.eq(before.selection)) return;
        // Only typing opens the list; moving the caret past a sign does not.
        const typed = !view.state.doc.eq(before.doc);
        listens.asked(typed || askedIn(before) ? askedIn(view.state) : null, view);
      },
      destroy: () => {},
    }),
  });
