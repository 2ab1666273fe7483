// Collaborative rich-text editor, loaded on the first edit. Until it has loaded, the static text is shown.
import { Editor, Extension } from "@tiptap/core";
import { dropCursor } from "@tiptap/pm/dropcursor";
import { gapCursor } from "@tiptap/pm/gapcursor";
import type { NodeType } from "@tiptap/pm/model";
import { Plugin } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { type ReactNode, useEffect, useReducer, useRef, useState } from "react";
import { type Key, t } from "../messages/t.ts";
import { useReplica } from "../store/react.ts";
import type { Attachment } from "../store/rows.ts";
import { Button } from "../ui/controls.tsx";
import { previewOf } from "./attachments.tsx";
import { pasting } from "./clipboard.ts";
import { together } from "./collaboration/collaboration.ts";
import { OPENING, type OpenText, openText, type SessionState, type Target } from "./collaboration/session.ts";
import { extensionsOfSchema } from "./extensions.ts";
import { typing } from "./input-rules.ts";
import { pictures } from "./picture.ts";
import { type SuggestionTrigger, suggesting } from "./suggestions/suggestion-trigger.ts";
import { type Keys, Suggestions } from "./suggestions/suggestions.tsx";
import { type Other, Toolbar } from "./toolbar.tsx";
import { upload } from "./uploads.ts";

interface Props {
  target: Target;
  label: string;
  /** Fallback while the document loads. */
  children: ReactNode;
  focus?: boolean;
  /** Called with the editor after every change. */
  changed?: (editor: Editor) => void;
}
const READ_ONLY: Partial<Record<SessionState["state"], Key>> = { gone: "edit.gone", refused: "edit.refused" };
const EMPTY = { type: "doc", content: [{ type: "paragraph" }] };

export default function RichText({ target, label, children, focus = false, changed }: Props) {
  const replica = useReplica();
  const [told, setTold] = useState<SessionState>(OPENING);
  const [text, setText] = useState<OpenText>();
  const [discarded, discard] = useReducer((count: number) => count + 1, 0);
  const { kind, id } = target;
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens the text again after its changes were discarded.
  useEffect(() => {
    const opened = openText(replica, { kind, id }, setTold);
    setText(opened);
    return () => opened.close();
  }, [replica, kind, id, discarded]);
  if (!text || !told.here)
    return (
      <>
        {children}
        {told.state === "gone" && <p className="text-12 text-soft">{t("edit.gone")}</p>}
      </>
    );
  const dropped = () => {
    text.discard();
    setTold(OPENING);
    discard();
  };
  return <Editing key={text.doc.clientID} {...{ target, text, told, label, focus, changed, dropped }} />;
}

type EditingProps = Omit<Props, "children"> & { text: OpenText; told: SessionState; dropped: () => void };
function Editing({ target, text, told, label, focus, changed, dropped }: EditingProps) {
  const replica = useReplica();
  const box = useRef<HTMLDivElement>(null);
  const keys = useRef<Keys>(null);
  const [asked, setAsked] = useState<{ asked: SuggestionTrigger; view: EditorView } | null>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const others = useOthers(text);
  const latest = useRef(changed);
  latest.current = changed;
  const takes = useRef((_files: readonly File[]) => {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: made once for each text.
  useEffect(() => {
    const behaviour = Extension.create({
      name: "behaviour",
      priority: 1000,
      addProseMirrorPlugins() {
        const { schema } = this.editor;
        return [
          suggesting({
            asked: (found, view) => setAsked(found && { asked: found, view }),
            key: (event) => keys.current?.press(event) ?? false,
          }),
          ...together(text),
          pasting(schema, (files) => takes.current(files)),
          ...typing(schema),
          checking,
          dropCursor({ class: "rich-drop", color: false }),
          gapCursor(),
        ];
      },
    });
    const made = new Editor({
      element: box.current,
      extensions: [...extensionsOfSchema(), behaviour],
      content: EMPTY,
      injectCSS: false,
      editorProps: {
        attributes: { role: "textbox", "aria-multiline": "true", "aria-label": label },
        nodeViews: { image: pictures((attachment) => previewOf(replica, attachment)) },
      },
    });
    takes.current = (files) => void putAll(made, files, (file) => upload(replica, target, file));
    made.on("transaction", ({ transaction }) => {
      draw();
      if (transaction.docChanged) latest.current?.(made);
    });
    setEditor(made);
    if (focus) made.commands.focus("end");
    return () => made.destroy();
  }, [text]);
  const isEditable = told.state === "live" || told.state === "connecting";
  useEffect(() => editor?.setEditable(isEditable, false), [editor, isEditable]);
  return (
    <div className="rich-editor" data-here={told.state}>
      {editor && isEditable && (
        <Toolbar editor={editor} told={told} others={others} takes={(files) => takes.current(files)} />
      )}
      {!isEditable && (
        <p role="status" className="mb-2 text-12 text-soft">
          {t(READ_ONLY[told.state] ?? "edit.readonly")}
          {told.state === "refused" && <Button onClick={dropped}>{t("edit.discard")}</Button>}
        </p>
      )}
      <div ref={box} className="rich" />
      {asked && isEditable && (
        <Suggestions asked={asked.asked} view={asked.view} close={() => setAsked(null)} keys={keys} />
      )}
    </div>
  );
}

/** Toggles a task item when its checkbox is pressed. */
const checking = new Plugin({
  props: {
    handleDOMEvents: {
      mousedown(view, event) {
        const box = event.target as HTMLElement;
        if (!box.classList?.contains("rich-box") || !view.editable) return false;
        const at = view.posAtDOM(box.parentElement as HTMLElement, 0) - 1;
        const $at = view.state.doc.resolve(at + 1);
        for (let depth = $at.depth; depth > 0; depth--) {
          const node = $at.node(depth);
          if (node.type.name !== "task_item") continue;
          view.dispatch(view.state.tr.setNodeMarkup($at.before(depth), null, { checked: !node.attrs.checked }));
          break;
        }
        event.preventDefault();
        return true;
      },
    },
  },
});

/** Uploads one file after another and inserts each at the current caret. */
async function putAll(editor: Editor, files: readonly File[], put: (file: File) => Promise<Attachment | null>) {
  for (const file of files) {
    const stored = await put(file);
    if (!stored || editor.isDestroyed) continue;
    const { image, file: other } = editor.schema.nodes as Record<string, NodeType>;
    const isPicture = /^image\/(?:png|jpeg|webp|gif)$/.test(stored.content_type);
    const node = isPicture
      ? image?.create({ src: `attachment:${stored.id}`, alt: stored.filename })
      : other?.create({ attachment_id: stored.id, name: stored.filename });
    if (node) editor.view.dispatch(editor.state.tr.replaceSelectionWith(node, false).scrollIntoView());
  }
}

/** Other members in the text, each once. */
function useOthers({ awareness, doc }: OpenText): readonly Other[] {
  const [others, setOthers] = useState<readonly Other[]>([]);
  const { member } = useReplica();
  useEffect(() => {
    const look = () => {
      const found = new Map<string, Other>();
      for (const [client, state] of awareness.getStates()) {
        const user = state.user as { actor_id?: string; name?: string } | undefined;
        if (client === doc.clientID || !user?.actor_id || user.actor_id === member.actorId) continue;
        found.set(user.actor_id, { id: user.actor_id, display_name: user.name ?? "" });
      }
      setOthers([...found.values()]);
    };
    awareness.on("change", look);
    return () => awareness.off("change", look);
  }, [awareness, doc, member]);
  return others;
}
