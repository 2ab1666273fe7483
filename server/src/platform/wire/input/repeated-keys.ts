// Finds duplicate members of objects in a JSON text, at any depth. JSON.parse uses the last of them, so a component
// before us that used the first has read another value. A text without duplicates has as many colons outside of strings
// as its value has members, which is nearly always so and ends the check early. Pure; the text must be valid JSON.

const [QUOTE, COLON, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA] = [34, 58, 123, 125, 91, 93, 44];

interface Level {
  /** Names seen in an object; null for an array. */
  seen: Set<string> | null;
  /** Current member name, or index of the current item. */
  at: string | number;
}

/** Paths of the duplicate members, at most `most`. */
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
          // Decodes escapes, which are another spelling of the same name.
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

/** Counts without recursion, because a text may nest as deep as it is long. */
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

/** Position of the closing quote: the first with an even number of backslashes before it. */
function endOf(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === "\\") before--;
    if ((end - before) % 2 === 0) return end;
  }
}

const NEXT = /[^ \t\r\n]/g;
/** A string in an object is a name if a colon follows. */
function isName(text: string, end: number): boolean {
  NEXT.lastIndex = end + 1;
  return NEXT.exec(text)?.[0] === ":";
}
