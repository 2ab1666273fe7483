// Allowlist of link addresses: web pages, mail, and paths of the service. Browsers treat a backslash as a slash and
// ignore control characters and spaces.
const SAFE = /^(?:https?:|mailto:|ftp:|\/(?![/\\])|#)/i;
const IGNORED = /[\p{Cc}\p{Z}]/gu;

export const isSafeAddress = (address: unknown): address is string =>
  typeof address === "string" && SAFE.test(address.replace(IGNORED, ""));
