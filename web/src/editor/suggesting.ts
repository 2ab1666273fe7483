// Notices what is typed behind a slash, an @ or a # and tells where it stands, so that a list can follow it; while there is one, its keys are the
// list's.
import { type EditorState, Plugin } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";

export interface Asked {
  sign: "/" | "@" | "#";
  words: string;
  /** From the sign to the caret. */
  from: number;
  to: number;
}
const ASKING = /(?:^|[\s(])([/@#])([\p{L}\p{N}_.-]{0,40})$/u;

function askedIn({ selection }: EditorState): Asked | null {
  const { $from, empty } = selection;
  if (!empty || !$from.parent.isTextblock || $from.parent.type.spec.code) return null;
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, "\ufffc");
  const [, sign, words = ""] = ASKING.exec(before) ?? [];
  if (!sign) return null;
  return { sign: sign as Asked["sign"], words, from: $from.pos - words.length - 1, to: $from.pos };
}

interface Listens {
  asked(asked: Asked | null, view: EditorView): void;
  /** Whether the list has taken the key. */
  key(event: KeyboardEvent): boolean;
}
export const suggesting = (listens: Listens): Plugin =>
  new Plugin({
    props: { handleKeyDown: (_view, event) => listens.key(event) },
    view: () => ({
      update(view, before) {
        if (view.state.doc.eq(before.doc) && view.state.selection.eq(before.selection)) return;
        // A list opens by typing, and not by walking past a sign.
        const typed = !view.state.doc.eq(before.doc);
        listens.asked(typed || askedIn(before) ? askedIn(view.state) : null, view);
      },
      destroy: () => {},
    }),
  });
