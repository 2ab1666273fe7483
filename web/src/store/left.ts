// Whether somebody has signed out, in any tab, since this page was opened. Answers from before that no longer count, and the page keeps nothing until somebody
// signs in here or it is opened again.
const KEY = "svc:left";
let known = localStorage.getItem(KEY);
/** Somebody signs out: whatever is kept is forgotten next. */
export const leave = () => localStorage.setItem(KEY, crypto.randomUUID());
/** Somebody signs in on this page; other tabs still show who has left. */
export function comeBack() {
  known = localStorage.getItem(KEY);
}
export const hasLeft = () => localStorage.getItem(KEY) !== known;

/** What other tabs write to the storage is heard a moment later; that the cookie is gone, at once. */
export const isSignedIn = () => /(?:^|; )__Host-svc_csrf=/.test(document.cookie);
/** Calls `forget` when this page hears that somebody signed out elsewhere: it may have kept something in between. */
export function onLeft(forget: () => unknown) {
  addEventListener("storage", ({ key }) => {
    if (key === KEY && !isSignedIn()) forget();
  });
}
