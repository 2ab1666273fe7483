// Parsers of single settings: each returns the value of a variable or throws an Error that names a valid value.

export function readPort(text: string, lowest: number): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < lowest || port > 65535)
    throw new Error(`"${text}" is not a port; set a whole number from ${lowest} to 65535`);
  return port;
}

export function readHost(text: string): string {
  if (!/^[\w.:-]+$/.test(text)) throw new Error(`"${text}" is not an address; set an IP address or a host name`);
  return text;
}

export function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== text.replace(/\/$/, ""))
    throw new Error(`"${text}" is not an origin; set scheme, host and port only, for example https://svc.example.com`);
  return url.origin;
}

/** The value may contain a password, so the message never shows it. */
export function readUrl(text: string, scheme: RegExp, example: string): string {
  if (!URL.canParse(text) || !scheme.test(new URL(text).protocol) || new URL(text).hostname === "")
    throw new Error(`is not such an address; set for example ${example}`);
  return text;
}

/** tcp://host:port or unix:/path. */
export const isClamdUrl = (text: string) =>
  /^unix:\/[^\0]+$/.test(text) ||
  (/^tcp:\/\/(?:[\w.-]+|\[[\da-fA-F:.]+\]):[1-9]\d{0,4}$/.test(text) &&
    Number(text.slice(text.lastIndexOf(":") + 1)) < 65_536);

export function readClamdUrl(text: string): string {
  if (!isClamdUrl(text))
    throw new Error(`"${text}" is not an address of clamd; set tcp://127.0.0.1:3310 or unix:/run/clamav/clamd.ctl`);
  return text;
}

export function readSender(text: string): string {
  if (!/^(?:[^<>@\r\n"]+ )?<?[^\s<>@]+@[^\s<>@]+>?$/.test(text))
    throw new Error(`"${text}" is not a sender; set for example svc <no-reply@example.com>`);
  return text;
}

export function oneOf<const T extends string>(words: readonly T[], text: string): T {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw new Error(`"${text}" is not known; set one of ${words.join(", ")}`);
  return word;
}
