// A page as it was seen last, shown by the first script before anything that could draw it is here. It is made of elements, never of HTML, so that
// nothing in it is parsed; nothing in it can be reached. What somebody presses meanwhile is done once the page itself stands in its place.
import type { Here } from "./remembered.ts";

/** A text, or an element with what is in it. */
export type Drawn = string | [name: string, attributes: Record<string, string>, ...inside: Drawn[]];
export interface Picture {
  /** Whose it is, and of which version of the application. */
  of: string;
  takenAt: number;
  title: string;
  drawn: Drawn;
}

const KEY = "svc:picture:";
export const pictureKey = () => KEY + location.pathname + location.search;
export const pictureKeys = () => Object.keys(localStorage).filter((name) => name.startsWith(KEY));
/** What cannot be read is as good as none: the page itself is drawn either way. */
export function pictureAt(key: string): Partial<Picture> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Picture>;
  } catch {
    return {};
  }
}
/** Its styles are those of one version. */
export const pictureOf = ({ workspaceId, actorId }: { workspaceId: string; actorId: string }) =>
  `${workspaceId}:${actorId}:${import.meta.url}`;

const SVG = "http://www.w3.org/2000/svg";
function built(drawn: Drawn, space: string): Node {
  if (typeof drawn === "string") return document.createTextNode(drawn);
  const [name, attributes, ...inside] = drawn;
  const own = name === "svg" ? SVG : space;
  const element = document.createElementNS(own, name) as HTMLElement;
  // As a property: the policy refuses the attribute.
  for (const [key, value] of Object.entries(attributes))
    if (key === "style") element.style.cssText = value;
    else element.setAttribute(key, value);
  for (const each of inside) element.append(built(each, own));
  return element;
}

let shown: HTMLElement | null = null;
let pressed: Event[] = [];
const note = (event: Event) => {
  pressed.push(event);
};
const heard = ["click", "keydown"];

/** Whether there is one of this address. A page that nobody sees is not drawn twice. */
export function showPicture(here: Here): boolean {
  if (document.visibilityState === "hidden") return false;
  const { of, title, drawn } = pictureAt(pictureKey());
  if (of !== pictureOf(here) || !drawn) return false;
  shown = document.createElement("div");
  shown.className = "fixed inset-0 z-10";
  shown.inert = true;
  shown.ariaHidden = "true";
  shown.append(built(drawn, "http://www.w3.org/1999/xhtml"));
  document.body.append(shown);
  document.title = title ?? document.title;
  for (const name of heard) addEventListener(name, note, true);
  return true;
}

/** The page itself is there, or will not come. */
export function endPicture() {
  if (!shown) return;
  for (const name of heard) removeEventListener(name, note, true);
  shown.inert = false;
  const presses = pressed.map((event) => [event, event instanceof MouseEvent ? buttonAt(event) : null] as const);
  shown.remove();
  shown = null;
  pressed = [];
  // Once the page listens. The first that it takes is the last: what follows would have been meant for what that one opens.
  if (presses.length > 0)
    requestAnimationFrame(() => setTimeout(() => void presses.some(([event, was]) => pressAgain(event, was))));
}
const buttonAt = ({ clientX, clientY }: MouseEvent) =>
  document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("a, button") ?? null;

/** Only what still stands where it was pressed. */
function pressAgain(event: Event, was: HTMLElement | null): boolean {
  if (event instanceof KeyboardEvent) {
    const { key, code, ctrlKey, metaKey, shiftKey, altKey } = event;
    const again = { key, code, ctrlKey, metaKey, shiftKey, altKey, bubbles: true, cancelable: true };
    return !(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", again));
  }
  const now = buttonAt(event as MouseEvent);
  if (!now || now.className !== was?.className || now.textContent !== was.textContent) return false;
  now.click();
  return true;
}
