// Sanitises the text of an answer, so that showing it loads nothing: pictures become their words, links that leave the
// service become text, link definitions and HTML are removed. A model wrote it, from texts that anybody may have
// written, so that every step is one linear scan. Pure.

export const MOST_ANSWER = 100_000;

/** Removes what can be removed without a trace, and then breaks what is left, or what the removal has joined. */
export function shownText(text: string, origin: string): string {
  const lines = text.slice(0, MOST_ANSWER).replace(/\r\n?/g, "\n");
  const rest = withoutTags(withoutDefinitions(withoutTargets(lines, origin)));
  return broken(rest, origin).slice(0, MOST_ANSWER);
}

/** An address without characters that Markdown or a browser would interpret. */
const TARGET = /\(([^\s\p{Cc}\\()<>[\]`]{0,2000})\)/uy;
/**
 * Whether a link to this service has its target here. A second slash, or an entity, after the first one would address
 * another host.
 */
function leadsToUs(text: string, at: number, origin: string): boolean {
  TARGET.lastIndex = at;
  const [, address = ""] = TARGET.exec(text) ?? [];
  return address.startsWith("svc://") || /^\/(?![/&])/.test(address) || address.startsWith(`${origin}/`);
}

/** Inserts a space into what would be a picture, a foreign link, a definition or a tag. */
function broken(text: string, origin: string): string {
  const lastEnd = text.lastIndexOf(">");
  let out = "";
  let from = 0;
  for (let at = 1; at < text.length; at++) {
    const [before, sign] = [text[at - 1], text[at] as string];
    const isBroken =
      (before === "!" && sign === "[") ||
      (before === "]" && (sign === ":" || (sign === "(" && !leadsToUs(text, at, origin)))) ||
      (before === "<" && at < lastEnd && /[a-z/]/i.test(sign));
    if (!isBroken) continue;
    out += `${text.slice(from, at)} `;
    from = at;
  }
  return out + text.slice(from);
}

const LABEL = /[ \t]*\[[^\]]{1,999}\]:/y;
/** Removes `[label]: address`, also with the address on the next line. A label has at most 999 characters. */
function withoutDefinitions(text: string): string {
  const endOfLine = (from: number) => {
    const end = text.indexOf("\n", from);
    return end < 0 ? text.length : end;
  };
  let out = "";
  for (let start = 0; start < text.length; ) {
    LABEL.lastIndex = start;
    let end = endOfLine(start);
    if (LABEL.test(text)) {
      const rest = LABEL.lastIndex;
      end = endOfLine(rest);
      if (text.slice(rest, end).trim() === "") end = endOfLine(end + 1);
    } else out += text.slice(start, end);
    if (end < text.length) out += "\n";
    start = end + 1;
  }
  return out;
}

/** Replaces pictures, and foreign links, by their words. Nested brackets are replaced from the inside. */
function withoutTargets(text: string, origin: string): string {
  const levels = [{ isPicture: false, text: "" }];
  const add = (more: string) => {
    const level = levels.at(-1);
    if (level) level.text += more;
  };
  const shown = (isPicture: boolean, words: string, target: string) => {
    const [address = ""] = target.slice(1, -1).trim().replace(/^</, "").split(/[\s>]/, 1);
    return !isPicture && leadsToUs(`(${address})`, 0, origin) ? `[${words}](${address})` : words;
  };
  /** Characters that do not occur any more: they are not searched for again. */
  const missing = new Set<string>();
  /** `(address)` or, for a picture, `[label]`; empty if there is none. */
  const targetAt = (at: number, isPicture: boolean): string => {
    const closing = text[at] === "(" ? ")" : isPicture && text[at] === "[" ? "]" : "";
    if (closing === "" || missing.has(closing)) return "";
    const end = text.indexOf(closing, at);
    if (end < 0) missing.add(closing);
    return end < 0 ? "" : text.slice(at, end + 1);
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (sign === "\\") add(sign + (text[++at] ?? ""));
    else if (sign === "[" || (sign === "!" && text[at + 1] === "[")) {
      levels.push({ isPicture: sign === "!", text: "" });
      if (sign === "!") at++;
    } else if (sign === "]" && levels.length > 1) {
      const { isPicture, text: words } = levels.pop() as { isPicture: boolean; text: string };
      const target = targetAt(at + 1, isPicture);
      add(target === "" ? `${isPicture ? "!" : ""}[${words}]` : shown(isPicture, words, target));
      at += target.length;
    } else add(sign);
  }
  return levels.map((level, at) => (at === 0 ? "" : level.isPicture ? "![" : "[") + level.text).join("");
}

function withoutTags(text: string): string {
  let out = "";
  let from = 0;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", Math.max(from, at + 1))) {
    const first = text[at + 1] === "/" ? text[at + 2] : text[at + 1];
    if (!/[a-z]/i.test(first ?? "")) continue;
    const end = text.indexOf(">", at);
    if (end < 0) break;
    out += text.slice(from, at);
    from = end + 1;
  }
  return out + text.slice(from);
}
