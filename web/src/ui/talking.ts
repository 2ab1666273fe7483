// Whether the conversation is open beside the page, in this tab; a reload leaves it as it is. Pages that hand it a question know nothing else of it.
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
/** Opens it, with these words in its field. */
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
/** What it was opened with, until the field has taken it. */
export const useAsked = () => useSyncExternalStore(subscribe, () => asked);
export function takeAsked() {
  asked = null;
  put(isOpen);
}
