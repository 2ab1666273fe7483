// Clipboard of the editor. The Content-Security-Policy forbids turning strings into HTML, so the browser's own
// sanitiser parses foreign HTML if it exists; anything else is parsed as Markdown. Copying produces Markdown, too.
import { fromMarkdown, toMarkdown } from "@svc/document/document.ts";
import type { DocumentJson } from "@svc/document/schema.ts";
import { DOMParser, Fragment, Node, type Schema, Slice } from "@tiptap/pm/model";
import { Plugin, Selection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";

/** Uploads files and inserts a node for each. */
export type Takes = (files: readonly File[]) => void;

const OPENING = /<(?:!--|(script|style|head|title|template)\b)/gi;
/**
 * Removes comments and elements that are not displayed. Stops searching for a closing tag once none is left, so that
 * the time stays linear.
 */
function withoutHidden(html: string): string {
  const lower = html.toLowerCase();
  const missing = new Set<string>();
  let out = "";
  let from = 0;
  for (const { index, 1: name } of html.matchAll(OPENING)) {
    const closing = name ? `</${name.toLowerCase()}` : "-->";
    if (index < from || missing.has(closing)) continue;
    const start = lower.indexOf(closing, index);
    const end = start < 0 ? -1 : lower.indexOf(">", start);
    if (end < 0) missing.add(closing);
    else {
      out += html.slice(from, index);
      from = end + 1;
    }
  }
  return out + html.slice(from);
}
const TAG = /<(\/?)([a-z][a-z0-9]*)(?![a-z0-9])((?:"[^"<]*"|'[^'<]*'|[^<>"'])*)>/gi;
const HREF = /\shref\s*=\s*(?:"((?:https?|mailto):[^"]*)"|'((?:https?|mailto):[^']*)')/i;
/**
 * Reduces HTML to tag names and link addresses. The sanitiser removes anything executable anyway; this avoids
 * violations of the Content-Security-Policy.
 */
const bare = (html: string) =>
  withoutHidden(html).replace(TAG, (_tag, slash: string, name: string, attributes: string) => {
    const [, double, single] = HREF.exec(attributes) ?? [];
    const href = (double ?? single)?.replaceAll('"', "%22");
    return `<${slash}${name}${href ? ` href="${href}"` : ""}>`;
  });

/** Sanitised HTML in a detached document; null if the browser has no sanitiser. */
function cleaned(html: string): HTMLElement | null {
  const box = document.implementation.createHTMLDocument().createElement("div") as HTMLElement & {
    setHTML?: (html: string) => void;
  };
  if (!box.setHTML) return null;
  box.setHTML(bare(html));
  return box;
}

export function sliceOfMarkdown(schema: Schema, markdown: string): Slice {
  const content = Node.fromJSON(schema, fromMarkdown(markdown)).content;
  // A single paragraph is inserted inline at the caret.
  return new Slice(content, content.childCount === 1 ? 1 : 0, content.childCount === 1 ? 1 : 0);
}

function sliceOf(schema: Schema, html: string, text: string): Slice {
  const isOurs = html.includes("data-pm-slice");
  const box = html && !isOurs ? cleaned(html) : null;
  if (box?.textContent?.trim()) return DOMParser.fromSchema(schema).parseSlice(box);
  return sliceOfMarkdown(schema, text);
}

function markdownOf(schema: Schema, slice: Slice): string {
  const { doc, paragraph } = schema.nodes;
  const isInline = slice.content.firstChild?.isInline ?? false;
  const content = isInline ? Fragment.from(paragraph?.create(null, slice.content)) : slice.content;
  const whole = doc?.createAndFill(null, content) ?? doc?.createAndFill();
  return whole ? toMarkdown(whole.toJSON() as DocumentJson) : "";
}

const isInCode = ({ state }: EditorView) => state.selection.$from.parent.type.spec.code === true;

export function pasting(schema: Schema, takes: Takes): Plugin {
  function take(view: EditorView, data: DataTransfer | null): boolean {
    if (!data) return false;
    if (data.files.length > 0) {
      takes([...data.files]);
      return true;
    }
    const [html, text] = [data.getData("text/html"), data.getData("text/plain")];
    if (html === "" && text === "") return false;
    if (isInCode(view)) view.dispatch(view.state.tr.insertText(text).scrollIntoView());
    else view.dispatch(view.state.tr.replaceSelection(sliceOf(schema, html, text)).scrollIntoView());
    return true;
  }
  return new Plugin({
    props: {
      clipboardTextSerializer: (slice) => markdownOf(schema, slice),
      handleDOMEvents: {
        paste(view, event) {
          const taken = view.editable && take(view, event.clipboardData);
          if (taken) event.preventDefault();
          return taken;
        },
        drop(view, event) {
          // The editor itself moves content dragged within the text.
          if (view.dragging || !view.editable) return false;
          const at = view.posAtCoords({ left: event.clientX, top: event.clientY });
          if (at) moveTo(view, at.pos);
          const taken = take(view, event.dataTransfer);
          if (taken) event.preventDefault();
          return taken;
        },
      },
    },
  });
}
const moveTo = (view: EditorView, pos: number) =>
  view.dispatch(view.state.tr.setSelection(Selection.near(view.state.doc.resolve(pos))));
