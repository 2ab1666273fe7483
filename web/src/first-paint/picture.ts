// Saved picture of a page from the last visit, shown by the first script before the application loads. It consists of
// elements built through the DOM, never of HTML, so that nothing is parsed; it is inert. Input events are recorded, and
// replayed once the real page has replaced the picture.
import type { ReplicaOwner } from "../store/replica.ts";

/** Serialised text or element. */
export type Drawn = string | [name: string, attributes: Record<string, string>, ...inside: Drawn[]];
export interface Picture {
  /** Member and application version that the picture belongs to. */
  of: string;
  takenAt: number;
  title: string;
  drawn: Drawn;
}

/** Member who looks at the page, in the Workspace of the page. */
type Viewer = Pick<ReplicaOwner, "workspaceId" | "actorId">;

const KEY = "svc:picture:";
export const pictureKey = () => KEY + location.pathname + location.search;
export const pictureKeys = () => Object.keys(localStorage).filter((name) => name.startsWith(KEY));
/** An unreadable picture counts as none: the page itself renders either way. */
export function pictureAt(key: string): Partial<Picture> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Picture>;
  } catch {
    return {};
  }
}
/** Key of the member and the version, because styles differ between versions. */
export const pictureOf = ({ workspaceId, actorId }: Viewer) => `${workspaceId}:${actorId}:${import.meta.url}`;

const SVG = "http://www.w3.org/2000/svg";
function built(drawn: Drawn, space: string): Node {
  if (typeof drawn === "string") return document.createTextNode(drawn);
  const [name, attributes, ...inside] = drawn;
  const own = name === "svg" ? SVG : space;
  const element = document.createElementNS(own, name) as HTMLElement;
  // Sets the property, because the Content-Security-Policy blocks the attribute.
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

/**
 * Shows the picture of this address and returns true if there is one. A hidden page shows none, to avoid rendering
 * twice.
 */
export function showPicture(viewer: Viewer): boolean {
  if (document.visibilityState === "hidden") return false;
  const { of, title, drawn } = pictureAt(pictureKey());
  if (of !== pictureOf(viewer) || !drawn) return false;
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

/** Removes the picture once the page has rendered or failed to load. */
export function endPicture() {
  if (!shown) return;
  for (const name of heard) removeEventListener(name, note, true);
  shown.inert = false;
  const presses = pressed.map((event) => [event, event instanceof MouseEvent ? buttonAt(event) : null] as const);
  shown.remove();
  shown = null;
  pressed = [];
  // Waits until the page handles events. Replay stops after the first event that has an effect: the following ones were
  // aimed at what that one opened.
  if (presses.length > 0)
    requestAnimationFrame(() => setTimeout(() => void presses.some(([event, was]) => pressAgain(event, was))));
}
const buttonAt = ({ clientX, clientY }: MouseEvent) =>
  document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("a, button") ?? null;

/** Clicks only a button that is still at the pressed position. */
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
