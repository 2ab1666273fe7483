// Suggestion list at the caret: blocks behind a slash, people behind an @, other resources behind a #.
import { Fragment, type NodeType } from "@tiptap/pm/model";
import type { EditorView } from "@tiptap/pm/view";
import { type Ref, useEffect, useId, useImperativeHandle, useMemo, useRef, useState } from "react";
import { t } from "../../messages/t.ts";
import { useReplica } from "../../store/react.ts";
import { blocks } from "../commands.ts";
import { type Named, useNamed } from "./mention-sources.ts";
import type { SuggestionTrigger } from "./suggestion-trigger.ts";

interface Line {
  id: string;
  label: string;
  hint: string;
  pick: () => void;
}
export interface Keys {
  press: (event: KeyboardEvent) => boolean;
}
const HEIGHT = 264;

export function Suggestions({
  asked,
  view,
  close,
  keys,
}: {
  asked: SuggestionTrigger;
  view: EditorView;
  close: () => void;
  keys: Ref<Keys>;
}) {
  const replica = useReplica();
  const naming = useMemo(
    () => (asked.sign === "/" ? null : { sign: asked.sign, words: asked.words }),
    [asked.sign, asked.words],
  );
  const named = useNamed(replica, naming);
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const words = asked.words.toLowerCase();
  const lines: Line[] =
    asked.sign === "/"
      ? blocks
          .filter(({ id: name, label }) => t(label).toLowerCase().includes(words) || name.startsWith(words))
          .map(({ id: name, label, hint, run }) => ({
            id: name,
            label: t(label),
            hint,
            pick() {
              view.dispatch(view.state.tr.delete(asked.from, asked.to));
              run(view.state, view.dispatch, view);
            },
          }))
      : named.map((one) => ({ id: one.id, label: one.name, hint: one.code, pick: () => mention(view, asked, one) }));
  const current = lines[Math.min(at, lines.length - 1)];
  function take(line: Line) {
    line.pick();
    close();
    view.focus();
  }
  useImperativeHandle(keys, () => ({
    press(event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") close();
      else if (!current) return false;
      else if (step !== undefined) setAt((Math.min(at, lines.length - 1) + step + lines.length) % lines.length);
      else if (event.key === "Enter" || event.key === "Tab") take(current);
      else return false;
      event.stopPropagation();
      return true;
    },
  }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words, another first line.
  useEffect(() => setAt(0), [asked.sign, asked.words]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  if (lines.length === 0) return null;
  const { left, bottom, top } = view.coordsAtPos(asked.from);
  const isBelow = innerHeight - bottom > HEIGHT || top < HEIGHT;
  const place = isBelow ? { top: bottom + 4 } : { bottom: innerHeight - top + 4 };
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={t("edit.choose")}
      style={{ left: Math.max(8, Math.min(left, innerWidth - 272)), ...place }}
      className="fixed z-10 max-h-64 w-64 overflow-y-auto rounded-lg border border-line bg-card p-1 text-13 shadow-lift"
    >
      {lines.map((line, place) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text.
        // biome-ignore lint/a11y/useKeyWithClickEvents: as above.
        <div
          key={line.id}
          role="option"
          aria-selected={line === current}
          // Prevents the press from moving the focus out of the editor.
          onPointerDown={(event) => event.preventDefault()}
          onPointerMove={() => setAt(place)}
          onClick={() => take(line)}
          className={`flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 ${line === current ? "bg-hover" : ""}`}
        >
          <span className="min-w-0 flex-1 truncate">{line.label}</span>
          <span className="max-w-24 truncate text-12 text-soft">{line.hint}</span>
        </div>
      ))}
    </div>
  );
}

function mention(view: EditorView, { from, to }: SuggestionTrigger, { kind, id, name, code }: Named) {
  const { schema, tr } = view.state;
  const label = kind === "task" ? code : name || code;
  const node = (schema.nodes.mention as NodeType).create({ kind, id, label });
  view.dispatch(tr.replaceWith(from, to, Fragment.from([node, schema.text(" ")])).scrollIntoView());
}
