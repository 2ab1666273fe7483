// Tokens of SQL inside a template literal. An interpolated expression is one token of kind "hole"; comments and white
// space are skipped.

export interface Token {
  kind: "word" | "text" | "number" | "parameter" | "hole" | "operator" | "punctuation";
  text: string;
  start: number;
  end: number;
  /** Number of open parentheses and brackets around the token. */
  depth: number;
}
export interface Range {
  start: number;
  end: number;
}

const PATTERNS: readonly [Token["kind"] | "skipped", RegExp][] = [
  ["skipped", /(?:\s|--[^\n]*|\/\*[^*]*\*\/)+/y],
  ["text", /'[^']*'/y],
  ["parameter", /\$\d+/y],
  ["number", /\d+(?:\.\d+)?/y],
  ["word", /[\p{L}_][\p{L}\p{N}_.]*|"[^"]*"/uy],
  ["operator", /::|[-+*/<>=~!@#%^&|?]+/y],
  ["punctuation", /[\s\S]/y],
];

/**
 * Tokens between two positions of the source text; `holes` are the ranges of the interpolated expressions between them.
 */
export function sqlTokens(source: string, { start, end }: Range, holes: readonly Range[]): Token[] {
  const tokens: Token[] = [];
  const left = [...holes];
  let depth = 0;
  for (let at = start; at < end; ) {
    const hole = left[0];
    if (hole && at >= hole.start) {
      left.shift();
      tokens.push({ kind: "hole", text: source.slice(hole.start, hole.end), ...hole, depth });
      at = hole.end;
      continue;
    }
    const [kind, text] = tokenAt(source, at, Math.min(hole?.start ?? end, end));
    if (/^[)\]]$/.test(text)) depth--;
    if (kind !== "skipped") tokens.push({ kind, text, start: at, end: at + text.length, depth });
    if (/^[([]$/.test(text)) depth++;
    at += text.length;
  }
  return tokens;
}

/** A token never spans an interpolated expression. */
function tokenAt(source: string, at: number, limit: number): [Token["kind"] | "skipped", string] {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text && at + text.length <= limit) return [kind, text];
    if (text && (kind === "word" || kind === "skipped")) return [kind, text.slice(0, limit - at)];
  }
  return ["punctuation", source.slice(at, at + 1)];
}

const KEYWORDS = new Set("select where from join exists update delete and or order limit with insert".split(" "));
const TELLING = new Set(
  "null any workspace_id current_workspace current_actor current_credential count coalesce".split(" "),
);

/**
 * Distinguishes SQL from prose: our SQL is in lower case, and has an operator, a parameter or one of our functions next
 * to its keywords.
 */
export function isSql(tokens: readonly Token[]): boolean {
  const words = tokens.filter(({ kind }) => kind === "word");
  if (words.length === 0 || /^\p{Lu}/u.test(words[0]?.text ?? "")) return false;
  if (tokens.some(({ kind, text }) => kind === "punctuation" && /[!?;`’]/.test(text))) return false;
  return (
    words.some(({ text }) => KEYWORDS.has(text)) &&
    tokens.some(
      ({ kind, text }) => kind === "parameter" || (kind === "operator" && /[=<>]/.test(text)) || TELLING.has(text),
    )
  );
}
