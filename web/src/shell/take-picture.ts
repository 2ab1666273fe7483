// Takes the picture of a page that the next visit shows first: when the page has come to rest, and when it is left. Only of pages that say so (pages.tsx):
// of lists of work, never of what shows a secret.
import { useEffect } from "react";
import { isSignedIn } from "../store/left.ts";
import type { Replica } from "../store/replica.ts";
import { type Drawn, type Picture, pictureAt, pictureKey, pictureKeys, pictureOf } from "./picture.ts";
import { remembered } from "./remembered.ts";

const REST_MS = 1500;
const MOST_PICTURES = 4;
const MOST_ELEMENTS = 3000;
/** What it looks like; never an id or what somebody could look for, of which there would be two. */
const LOOKS =
  /^(?:class|style|src|type|placeholder|disabled|aria-(?:current|pressed|selected|expanded|disabled)|data-(?:theme|state))$/;
const LEFT_OUT = "dialog, [popover], script, [role=status], [aria-live]";

/** null where it cannot be shown as it is: a page begins at its top. */
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
    // What lies beside the screen keeps its place, and nothing in it.
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

/** False where the page is not at rest yet. */
function take(replica: Replica): boolean {
  const { actorId } = replica.member;
  // Somebody has signed out, perhaps in another tab: nothing is kept any more.
  if (!isSignedIn() || !Object.values(remembered()).some((here) => here.actorId === actorId)) return true;
  const root = document.querySelector("#root .app");
  // What is on its way, and what is open over the page, is gone by the next visit.
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
    // There is no room: the next visit begins without one.
    localStorage.removeItem(pictureKey());
  }
  return true;
}

/** `isPictured`: this page, as it is shown now, is one of those. */
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
