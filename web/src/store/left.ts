// Whether somebody has signed out since this page was opened, here or in another tab. What this page was answered before that says nothing any more, and it keeps
// nothing: until somebody signs in here, or the page is opened again.
const KEY = "svc:left";
/** Signed out: whatever is kept is forgotten next. */
export const leave = () => localStorage.setItem(KEY, String(Date.now()));
export const comeBack = () => localStorage.removeItem(KEY);
export const hasLeft = () => Number(localStorage.getItem(KEY)) >= performance.timeOrigin;
