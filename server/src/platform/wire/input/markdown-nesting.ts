// Finds lines of Markdown that nest more quotes and list items than a parser can handle. Markdown parsers are
// recursive, so such a text is refused on input and not wherever it is rendered. One linear scan, without a parser.
// Pure.

const MARKER = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;
/** A divider repeats one sign: `- - -` opens no lists. */
const isDivider = (line: string) => new Set(line.replace(/[>\s]/g, "")).size === 1 && /[-*]/.test(line);

/** True if a line opens more than `most` containers. */
export function nestsDeeper(markdown: string, most: number): boolean {
  for (let start = 0; start < markdown.length; ) {
    const next = markdown.indexOf("\n", start);
    const end = next < 0 ? markdown.length : next;
    if (end - start > most && opens(markdown, start, most)) {
      const line = markdown.slice(start, end);
      if (!isDivider(line) || opens(line.replace(/[-*\s]/g, ""), 0, most)) return true;
    }
    start = end + 1;
  }
  return false;
}

function opens(text: string, start: number, most: number): boolean {
  MARKER.lastIndex = start;
  for (let depth = 0; MARKER.test(text); ) if (++depth > most) return true;
  return false;
}
