// Keyboard shortcuts. Each has a label, so that `?` can list them. They are inactive while the person types, and while
// a dialog is open.
import { useEffect, useRef, useSyncExternalStore } from "react";
import { type Key, t } from "../messages/t.ts";

export interface KeyBinding {
  /** Key names: "c", "shift+ArrowUp", "mod+k" (Ctrl or Cmd), "g h" for a sequence. */
  keys: string;
  label: Key;
  run: (event: KeyboardEvent) => void;
  /** Also active while the person types. */
  always?: true;
}
let bindings: readonly KeyBinding[] = [];
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};
let before = "";

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));

function nameOf(event: KeyboardEvent): string {
  const shift = event.shiftKey && (event.key.length > 1 || /[A-Za-z]/.test(event.key));
  const parts = [(event.metaKey || event.ctrlKey) && "mod", event.altKey && "alt", shift && "shift"];
  return [...parts.filter(Boolean), event.key.length === 1 ? event.key.toLowerCase() : event.key].join("+");
}

function pressed(event: KeyboardEvent) {
  if (event.defaultPrevented || event.isComposing || ["Shift", "Control", "Meta", "Alt"].includes(event.key)) return;
  const name = nameOf(event);
  const quiet = isTyping(event.target) || document.querySelector("dialog[open]") !== null;
  const allowed = bindings.filter(({ always }) => always || !quiet);
  const found =
    allowed.findLast(({ keys }) => keys === `${before} ${name}`) ?? allowed.findLast(({ keys }) => keys === name);
  before = found ? "" : name;
  if (!found) return;
  event.preventDefault();
  found.run(event);
}

let isListening = false;
/** Registers shortcuts while the component is mounted. */
export function useKeys(own: readonly KeyBinding[]) {
  const current = useRef(own);
  current.current = own;
  const names = own.map(({ keys }) => keys).join(",");
  useEffect(() => {
    if (!isListening) addEventListener("keydown", pressed);
    isListening = true;
    const mine = names.split(",").map(
      (keys, at): KeyBinding => ({
        keys,
        label: current.current[at]?.label as Key,
        always: current.current[at]?.always,
        run: (event) => current.current[at]?.run(event),
      }),
    );
    bindings = [...bindings, ...mine];
    tell();
    return () => {
      bindings = bindings.filter((binding) => !mine.includes(binding));
      tell();
    };
  }, [names]);
}
export const useBindings = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => bindings,
  );

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const signs = (): Record<string, string> => ({
  mod: isMac ? "⌘" : t("keys.ctrl"),
  shift: isMac ? "⇧" : t("keys.shift"),
  alt: isMac ? "⌥" : "Alt",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Enter: "↵",
});
/** Display form of a shortcut. */
export const spelled = (keys: string) =>
  keys.split(" ").map((one) =>
    one
      .split("+")
      .map((part) => signs()[part] ?? part.toUpperCase())
      .join(" "),
  );
