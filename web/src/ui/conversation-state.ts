// State of the conversation panel in this tab; it survives a reload. Pages use this module to pass a question to it.
import { useSyncExternalStore } from "react";

const KEY = "svc:talking";
let isOpen = sessionStorage.getItem(KEY) !== null;
let asked: string | null = null;
const listeners = new Set<() => void>();

function put(open: boolean) {
  isOpen = open;
  if (open) sessionStorage.setItem(KEY, "1");
  else sessionStorage.removeItem(KEY);
  for (const listener of [...listeners]) listener();
}
/** Opens the panel with an optional question in its field. */
export function talk(question?: string) {
  if (question !== undefined) asked = question;
  put(true);
}
export const hush = () => put(false);
export const toggleTalk = () => put(!isOpen);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useTalking = () => useSyncExternalStore(subscribe, () => isOpen);
/** Question passed to the panel, until the composer has taken it. */
export const useAsked = () => useSyncExternalStore(subscribe, () => asked);
export function takeAsked() {
  asked = null;
  put(isOpen);
}
