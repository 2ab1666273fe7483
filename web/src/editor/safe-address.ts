// Whether a link may lead to an address: a page of the web, mail, or a place in the service. Browsers read a backslash as a slash, and leave out
// control characters and blanks.
const SAFE = /^(?:https?:|mailto:|ftp:|\/(?![/\\])|#)/i;
const IGNORED = /[\p{Cc}\p{Z}]/gu;

export const isSafeAddress = (address: unknown): address is string =>
  typeof address === "string" && SAFE.test(address.replace(IGNORED, ""));
