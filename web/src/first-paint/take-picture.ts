// Saves a picture of the page for the next visit: once the page is idle, and when it is left. Only for pages that allow
// it (pages.tsx): lists of work, never a page that shows a secret.
import { useEffect } from "react";
import type { Replica } from "../store/replica.ts";
import { isSignedIn } from "../store/sign-out.ts";
import { type Drawn, type Picture, pictureAt, pictureKey, pictureKeys, pictureOf } from "./picture.ts";
import { remembered } from "./remembered-workspaces.ts";

const REST_MS = 1500;
const MOST_PICTURES = 4;
const MOST_ELEMENTS = 3000;
/**
 * Attributes that affect the appearance; never an id or a name that code could query, because it would then exist
 * twice.
 */
const LOOKS =
  /^(?:class|style|src|type|placeholder|disabled|aria-(?:current|pressed|selected|expanded|disabled)|data-(?:theme|state))$/;
const LEFT_OUT = "dialog, [popover], script, [role=status], [aria-live]";

/** Returns null if the page is scrolled or too large: a picture always starts at the top. */
function drawnOf(root: Element): Drawn | null {
  let left = MOST_ELEMENTS;
  let isScrolled = false;
  const isOutside = ({ top, bottom, left, right }: DOMRect) =>
    bottom < 0 || right < 0 || top > innerHeight || left > innerWidth;
  const draw = (element: Element): Drawn => {
    left--;
    if (element.scrollTop > 0 || element.scrollLeft > 0) isScrolled = true;
    const isDrawing = element instanceof SVGElement;
    const attributes: Record<string, string> = {};
    for (const { name, value } of element.attributes)
      if (isDrawing ? !/^(?:id|on)/.test(name) : LOOKS.test(name)) attributes[name] = value;
    if (element instanceof HTMLInputElement) {
      if (element.type === "checkbox" && element.checked) attributes.checked = "";
      else if (/^(?:text|search)$/.test(element.type)) attributes.value = element.value;
    }
    const inside: Drawn[] = [];
    // Elements outside of the viewport keep their box but lose their content.
    if (left > 0 && (isDrawing || !isOutside(element.getBoundingClientRect())))
      for (const child of element.childNodes) {
        if (child instanceof Text) inside.push(child.data);
        else if (child instanceof Element && !child.matches(LEFT_OUT)) inside.push(draw(child));
      }
    return [element.localName, attributes, ...inside];
  };
  const drawn = draw(root);
  return isScrolled || left <= 0 ? null : drawn;
}

/** Returns false if the page is not idle yet. */
function take(replica: Replica): boolean {
  const { actorId } = replica.member;
  // A sign-out happened, perhaps in another tab: nothing may be persisted.
  if (!isSignedIn() || !Object.values(remembered()).some((here) => here.actorId === actorId)) return true;
  const root = document.querySelector("#root .app");
  // Loading states and dialogs will be gone by the next visit.
  if (!root || !replica.isWhole || root.querySelector("[aria-busy], dialog[open]")) return false;
  const drawn = drawnOf(root);
  if (!drawn) return true;
  const picture: Picture = { of: pictureOf(replica.member), takenAt: Date.now(), title: document.title, drawn };
  try {
    localStorage.setItem(pictureKey(), JSON.stringify(picture));
    const takenAt = (key: string) => pictureAt(key).takenAt ?? 0;
    const old = pictureKeys().sort((one, other) => takenAt(other) - takenAt(one));
    for (const key of old.slice(MOST_PICTURES)) localStorage.removeItem(key);
  } catch {
    // Storage is full: the next visit starts without a picture.
    localStorage.removeItem(pictureKey());
  }
  return true;
}

/** `isPictured` is true if this page, in its current state, may be saved. */
export function usePicture(replica: Replica, isPictured: boolean, address: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each address has its own.
  useEffect(() => {
    if (!isPictured) return localStorage.removeItem(pictureKey());
    const now = () => take(replica);
    const leave = () => document.visibilityState === "hidden" && now();
    const atRest = () => {
      if (!take(replica)) timer = setTimeout(atRest, REST_MS);
    };
    let timer = setTimeout(atRest, REST_MS);
    addEventListener("pagehide", now);
    document.addEventListener("visibilitychange", leave);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", now);
      document.removeEventListener("visibilitychange", leave);
    };
  }, [replica, isPictured, address]);
}
