// Collaboration plugins: bind the editor to the shared Yjs document, restrict undo to the member's own edits, and show
// remote cursors.
import { keymap } from "@tiptap/pm/keymap";
import type { Plugin } from "@tiptap/pm/state";
import { redo, undo, yCursorPlugin, ySyncPlugin, yUndoPlugin } from "y-prosemirror";
import type { OpenText } from "./session.ts";

interface User {
  name?: string | null;
  color?: string;
}
/** Sets styles through the DOM: the Content-Security-Policy blocks style attributes. */
function cursorOf(user: User): HTMLElement {
  const cursor = document.createElement("span");
  cursor.className = "rich-cursor";
  cursor.style.setProperty("--their", user.color ?? "#8b8d98");
  const name = document.createElement("span");
  name.textContent = user.name ?? "";
  cursor.append("\u2060", name, "\u2060");
  return cursor;
}
const selectionOf = (user: User) => ({
  class: "rich-selected",
  style: `--their: ${/^#[0-9a-f]{3,8}$/i.test(user.color ?? "") ? user.color : "#8b8d98"}`,
});

export function together({ doc, awareness }: OpenText): Plugin[] {
  const part = doc.getXmlFragment("default");
  return [
    ySyncPlugin(part),
    yCursorPlugin(awareness, { cursorBuilder: cursorOf, selectionBuilder: selectionOf as never }),
    yUndoPlugin(),
    keymap({ "Mod-z": undo, "Mod-y": redo, "Mod-Shift-z": redo }),
  ];
}
