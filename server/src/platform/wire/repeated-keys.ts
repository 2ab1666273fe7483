// Finds members that a JSON text names twice in one object, at any depth. JSON.parse keeps the last of them, and whoever looked at the first one
// before us has read something else. A text has as many colons outside of its strings as members: where the parsed value has just as many,
// which is nearly always, nothing is looked for. Pure; the text is known to be JSON.

const [QUOTE, COLON, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA] = [34, 58, 123, 125, 91, 93, 44];

interface Level {
  /** Of an object; null for a list. */
  seen: Set<string> | null;
  /** Where we are: the member's name, or the item's number. */
  at: string | number;
}

/** The paths of the members that are repeated, at most so many. */
export function repeatedKeys(text: string, value: unknown, most: number): (string | number)[][] {
  if (colonsIn(text) === membersOf(value)) return [];
  const found: (string | number)[][] = [];
  const levels: Level[] = [];
  for (let at = 0; at < text.length && found.length < most; at++) {
    const level = levels.at(-1);
    switch (text.charCodeAt(at)) {
      case OPEN:
        levels.push({ seen: new Set(), at: "" });
        break;
      case OPEN_LIST:
        levels.push({ seen: null, at: 0 });
        break;
      case CLOSE:
      case CLOSE_LIST:
        levels.pop();
        break;
      case COMMA:
        if (level && !level.seen) level.at = (level.at as number) + 1;
        break;
      case QUOTE: {
        const end = endOf(text, at);
        if (level?.seen && isName(text, end)) {
          // Escapes are another spelling of the same name.
          level.at = JSON.parse(text.slice(at, end + 1)) as string;
          if (level.seen.has(level.at)) found.push(levels.map((each) => each.at));
          level.seen.add(level.at);
        }
        at = end;
      }
    }
  }
  return found;
}

function colonsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOf(text, at);
    else if (code === COLON) count++;
  }
  return count;
}

/** Without recursion: a text may be nested as deep as it is long. */
function membersOf(value: unknown): number {
  let count = 0;
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (next === null || typeof next !== "object") continue;
    const parts = Object.values(next);
    if (!Array.isArray(next)) count += parts.length;
    for (const part of parts) open.push(part);
  }
  return count;
}

/** Where the string that begins here ends: at a quote before which stands an even number of backslashes. */
function endOf(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === "\\") before--;
    if ((end - before) % 2 === 0) return end;
  }
}

const NEXT = /[^ \t\r\n]/g;
/** A string in an object is a name where a colon follows. */
function isName(text: string, end: number): boolean {
  NEXT.lastIndex = end + 1;
  return NEXT.exec(text)?.[0] === ":";
}
