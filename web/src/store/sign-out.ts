// Detects a sign-out in any tab since this page opened. Responses to earlier requests are then ignored, and the page
// persists nothing until a sign-in here or a reload.
const KEY = "svc:left";
let known = localStorage.getItem(KEY);
/** Call at sign-out, before the persisted data is deleted. */
export const leave = () => localStorage.setItem(KEY, crypto.randomUUID());
/** Call at sign-in on this page; other tabs still show the previous member. */
export function comeBack() {
  known = localStorage.getItem(KEY);
}
export const hasLeft = () => localStorage.getItem(KEY) !== known;

/** Storage events of other tabs arrive late; the missing cookie is visible at once. */
export const isSignedIn = () => /(?:^|; )__Host-svc_csrf=/.test(document.cookie);
/** Calls `forget` when another tab signs out: this page may have persisted something in between. */
export function onLeft(forget: () => unknown) {
  addEventListener("storage", ({ key }) => {
    if (key === KEY && !isSignedIn()) forget();
  });
}
