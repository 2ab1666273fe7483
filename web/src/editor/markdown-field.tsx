// Markdown field with autocompletion: @ mentions people; # mentions Tasks, Documents and Milestones. Arrow keys and
// Enter choose. The draft persists in the tab until it is sent.
import {
  type ComponentProps,
  type KeyboardEvent,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import { useReplica } from "../store/react.ts";
import { type Named, useNamed } from "./suggestions/mention-sources.ts";

export interface FieldHandle {
  text: () => string;
  clear: () => void;
  focus: () => void;
}
interface Props extends Omit<ComponentProps<"textarea">, "ref" | "defaultValue"> {
  label: string;
  /** Storage key of the draft in this tab. */
  draft: string;
  /** Initial text if there is no draft. */
  begin?: string;
  /** Runs on Control+Enter. */
  send: () => void;
  typed?: (text: string) => void;
  handle: Ref<FieldHandle>;
}
/** Mention being typed: the word before the caret that begins with @ or #. */
const NAMING = /(?:^|[\s(])([@#])([\p{L}\p{N}_.-]{0,40})$/u;

export function MarkdownField({ label, draft, begin = "", send, typed, handle, className = "", ...rest }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [naming, setNaming] = useState<{ sign: "@" | "#"; words: string } | null>(null);
  const [at, setAt] = useState(0);
  const id = useId();
  const replica = useReplica();
  const named = useNamed(replica, naming);
  const current = named[Math.min(at, named.length - 1)];
  const [kept] = useState(() => sessionStorage.getItem(draft) ?? begin);
  useImperativeHandle(handle, () => ({
    text: () => field.current?.value ?? "",
    clear() {
      if (field.current) field.current.value = "";
      sessionStorage.removeItem(draft);
      setNaming(null);
    },
    focus: () => field.current?.focus(),
  }));
  useEffect(() => typed?.(kept), [typed, kept]);
  function look() {
    const box = field.current;
    if (!box) return;
    if (box.value === begin) sessionStorage.removeItem(draft);
    else sessionStorage.setItem(draft, box.value);
    typed?.(box.value);
    const [, sign, words] = NAMING.exec(box.value.slice(0, box.selectionStart)) ?? [];
    setNaming(sign ? { sign: sign as "@" | "#", words: words ?? "" } : null);
    setAt(0);
  }
  function choose(one: Named) {
    const box = field.current;
    if (!box || !naming) return;
    const start = box.selectionStart - naming.words.length - 1;
    box.setRangeText(`${one.markdown} `, start, box.selectionStart, "end");
    box.focus();
    look();
  }
  function pressed(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      return send();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (current && naming) {
      if (step !== undefined) setAt((Math.min(at, named.length - 1) + step + named.length) % named.length);
      else if (event.key === "Enter" || event.key === "Tab") choose(current);
      else if (event.key === "Escape") setNaming(null);
      else return;
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    rest.onKeyDown?.(event);
  }
  const isOpen = naming !== null && named.length > 0;
  return (
    <div className="relative">
      <textarea
        {...rest}
        ref={field}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen && current ? `${id}-${current.id}` : undefined}
        defaultValue={kept}
        onInput={look}
        onKeyDown={pressed}
        onBlur={(event) => {
          setNaming(null);
          rest.onBlur?.(event);
        }}
        className={`block field-sizing-content w-full resize-none bg-transparent outline-none placeholder:text-soft ${className}`}
      />
      {isOpen && (
        <div
          id={id}
          role="listbox"
          aria-label={label}
          className="absolute inset-x-0 bottom-full z-5 mb-1 max-h-60 overflow-y-auto rounded-lg border border-line bg-card p-1 shadow-lift"
        >
          {named.map((one, place) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field; this is its active descendant.
            // biome-ignore lint/a11y/useKeyWithClickEvents: as above.
            <div
              key={one.id}
              id={`${id}-${one.id}`}
              role="option"
              aria-selected={one === current}
              // Prevents the press from moving the focus out of the field.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(one)}
              onPointerMove={() => setAt(place)}
              className={`flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 ${one === current ? "bg-hover" : ""}`}
            >
              <span className="min-w-0 flex-1 truncate">{one.name}</span>
              <span className="text-12 text-soft">{one.code}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
