// A subset of the jq language for --jq: . and paths (.a.b, .["a b"], .[0], .[-1], .[2:5], .[] and ? behind them),
// pipes, commas, comparisons (== != < <= > >=) with and, or, not, literals, select(f), map(f), length, keys, first,
// last, join("s"). Everything else is a usage error.
import { usage } from "../failure.ts";

type Filter = (value: unknown) => unknown[];

const TOKEN =
  /\s*(?:("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([a-z_]\w*)|(\.[A-Za-z_]\w*|\.(?=")|\.)|(==|!=|<=|>=|[<>|,()[\]?:]))/y;

interface Token {
  kind: "text" | "number" | "word" | "path" | "sign";
  text: string;
}
function tokensOf(source: string): Token[] {
  const found: Token[] = [];
  TOKEN.lastIndex = 0;
  while (source.slice(TOKEN.lastIndex).trim() !== "") {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (!match) throw wrong(source, `it does not know ${JSON.stringify(source.slice(at).trim())}`);
    const [, text, number, word, path, sign] = match;
    if (text !== undefined) found.push({ kind: "text", text: JSON.parse(text) });
    else if (number !== undefined) found.push({ kind: "number", text: number });
    else if (word !== undefined) found.push({ kind: "word", text: word });
    else if (path !== undefined) found.push({ kind: "path", text: path });
    else found.push({ kind: "sign", text: sign as string });
  }
  return found;
}
const wrong = (source: string, why: string) =>
  usage(
    `The filter ${source} is not understood: ${why}.`,
    "It takes paths, pipes and select: --jq '.items[] | select(.priority == \"high\") | .code'",
  );

const kindOf = (value: unknown) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
const refused = (what: string, value: unknown) => usage(`The filter cannot take ${what} of ${kindOf(value)}.`);

const field =
  (name: string): Filter =>
  (value) => {
    if (value === null || value === undefined) return [null];
    if (typeof value !== "object" || Array.isArray(value)) throw refused(`the field ${name}`, value);
    return [Object.hasOwn(value, name) ? ((value as Record<string, unknown>)[name] ?? null) : null];
  };
const index =
  (at: number): Filter =>
  (value) => {
    if (value === null) return [null];
    if (!Array.isArray(value)) throw refused(`the item ${at}`, value);
    return [value.at(at) ?? null];
  };
const slice =
  (from: number | undefined, to: number | undefined): Filter =>
  (value) => {
    if (value === null) return [null];
    if (!Array.isArray(value) && typeof value !== "string") throw refused("a part", value);
    return [value.slice(from, to)];
  };
const each: Filter = (value) => {
  if (Array.isArray(value)) return value;
  if (value !== null && typeof value === "object") return Object.values(value);
  throw refused("each item", value);
};
const isTrue = (value: unknown) => value !== null && value !== false && value !== undefined;

/** The sort order of jq: null, false, true, numbers, strings, arrays, objects. */
const RANK = ["null", "boolean", "number", "string", "array", "object"];
function compare(one: unknown, other: unknown): number {
  const [a, b] = [kindOf(one), kindOf(other)];
  if (a !== b) return RANK.indexOf(a) - RANK.indexOf(b);
  if (a === "number" || a === "boolean") return Number(one) - Number(other);
  const [left, right] =
    a === "string" ? [one as string, other as string] : [JSON.stringify(one), JSON.stringify(other)];
  return left < right ? -1 : Number(left > right);
}
const COMPARE: Record<string, (order: number) => boolean> = {
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

const WORDS: Record<string, Filter> = {
  length: (value) => {
    if (value === null) return [0];
    if (typeof value === "string") return [[...value].length];
    if (typeof value === "object") return [Object.keys(value).length];
    throw refused("the length", value);
  },
  keys: (value) => {
    if (value === null || typeof value !== "object") throw refused("the keys", value);
    return [Array.isArray(value) ? value.map((_, at) => at) : Object.keys(value).sort()];
  },
  not: (value) => [!isTrue(value)],
  first: (value) => index(0)(value),
  last: (value) => index(-1)(value),
  true: () => [true],
  false: () => [false],
  null: () => [null],
};

function parsed(source: string): Filter {
  const tokens = tokensOf(source);
  let at = 0;
  const is = (text: string, kind: Token["kind"] = "sign") => tokens[at]?.kind === kind && tokens[at]?.text === text;
  const take = (text: string) => {
    if (!is(text)) throw wrong(source, `${JSON.stringify(text)} is missing`);
    at++;
  };

  function pipe(): Filter {
    const steps = [several()];
    while (is("|")) {
      at++;
      steps.push(several());
    }
    return (value) => steps.reduce<unknown[]>((found, step) => found.flatMap(step), [value]);
  }
  function several(): Filter {
    const parts = [either()];
    while (is(",")) {
      at++;
      parts.push(either());
    }
    return (value) => parts.flatMap((part) => part(value));
  }
  function joined(word: "or" | "and", next: () => Filter): Filter {
    let left = next();
    while (is(word, "word")) {
      at++;
      const [before, right] = [left, next()];
      left = (value) =>
        before(value).flatMap((one) => (isTrue(one) === (word === "or") ? [isTrue(one)] : right(value).map(isTrue)));
    }
    return left;
  }
  const either = (): Filter => joined("or", () => joined("and", compared));
  function compared(): Filter {
    const left = term();
    const how = tokens[at]?.kind === "sign" ? COMPARE[tokens[at]?.text ?? ""] : undefined;
    if (!how) return left;
    at++;
    const right = term();
    return (value) => right(value).flatMap((other) => left(value).map((one) => how(compare(one, other))));
  }
  function term(): Filter {
    let filter = start();
    for (;;) {
      const token = tokens[at];
      if (is("?")) {
        at++;
        const tried = filter;
        filter = (value) => {
          try {
            return tried(value);
          } catch {
            return [];
          }
        };
      } else if (
        is("[") ||
        (token?.kind === "path" && token.text !== ".") ||
        (token?.kind === "path" && (tokens[at + 1]?.kind === "text" || tokens[at + 1]?.text === "["))
      ) {
        const [before, next] = [filter, step()];
        filter = (value) => before(value).flatMap(next);
      } else return filter;
    }
  }
  /** Parses one step of a path. */
  function step(): Filter {
    const token = tokens[at];
    if (token?.kind === "path") {
      at++;
      if (token.text !== ".") return field(token.text.slice(1));
      if (tokens[at]?.kind === "text") return field((tokens[at++] as Token).text);
    }
    take("[");
    if (is("]")) {
      at++;
      return each;
    }
    const inside = tokens[at];
    if (inside?.kind === "text") {
      at++;
      take("]");
      return field(inside.text);
    }
    const number = () => (tokens[at]?.kind === "number" ? Number((tokens[at++] as Token).text) : undefined);
    const from = number();
    if (is(":")) {
      at++;
      const to = number();
      take("]");
      return slice(from, to);
    }
    take("]");
    if (from === undefined) throw wrong(source, "[ ] takes a number, a text or nothing");
    return index(from);
  }
  function start(): Filter {
    const token = tokens[at];
    if (token === undefined) throw wrong(source, "it ends too early");
    if (token.kind === "path") {
      const next = tokens[at + 1];
      if (token.text !== "." || next?.kind === "text" || next?.text === "[") return step();
      at++;
      return (value) => [value];
    }
    at++;
    if (token.kind === "text") return () => [token.text];
    if (token.kind === "number") return () => [Number(token.text)];
    if (token.kind === "sign" && token.text === "(") return closed();
    if (token.kind === "word" && is("(")) {
      at++;
      const inside = closed();
      if (token.text === "select") return (value) => inside(value).flatMap((found) => (isTrue(found) ? [value] : []));
      if (token.text === "map") return (value) => [each(value).flatMap(inside)];
      if (token.text === "join")
        return (value) =>
          inside(value).map((between) =>
            each(value)
              .map((one) => one ?? "")
              .join(String(between)),
          );
    }
    const word = token.kind === "word" && Object.hasOwn(WORDS, token.text) ? WORDS[token.text] : undefined;
    if (!word) throw wrong(source, `it does not know ${token.text}`);
    return word;
  }
  function closed(): Filter {
    const inside = pipe();
    take(")");
    return inside;
  }

  const whole = pipe();
  if (at < tokens.length) throw wrong(source, `it does not expect ${tokens[at]?.text} there`);
  return whole;
}

export const filtered = (source: string, value: unknown): unknown[] => parsed(source)(value);
