// Measures the nesting depth of a JSON text before anything parses or walks it: a deeply nested value would overflow
// the stack of the first recursive reader. Pure; the text need not be valid JSON.

/**
 * Maximum levels of arrays and objects. Rich text nests 64 nodes, each of them an object in an array, and a request
 * wraps it in a few more.
 */
export const MOST_JSON_DEPTH = 160;

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA] = [34, 92, 123, 125, 91, 93, 44];

/** Name or number of the outermost member that nests deeper than `most` levels; null if none does. */
export function tooDeepIn(text: string, most = MOST_JSON_DEPTH): string | null {
  if (text.length <= most) return null;
  let depth = 0;
  /** Number of the current item, if the outermost value is an array. */
  let item = -1;
  /** The last string of the outermost object: the current member's name, once its value is an array or object. */
  let name = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (depth === 1) name = text.slice(at + 1, end);
      at = end;
    } else if (code === OPEN || code === OPEN_LIST) {
      if (++depth === 1 && code === OPEN_LIST) item = 0;
      if (depth > most) return item < 0 ? name : String(item);
    } else if (code === CLOSE || code === CLOSE_LIST) depth--;
    else if (code === COMMA && depth === 1 && item >= 0) item++;
  }
  return null;
}

/** Position of the quote that closes the string which begins at `start`; the end of the text if none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
