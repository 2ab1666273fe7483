// Mutations of SQL: a condition that is always true, a removed negation, a bound that moves by one, a missing state, a
// reversed order. A condition on the Workspace alone is not changed: row-level security repeats it, and
// server/test/tenancy.test.ts removes each of the two.
import type { Change, MutantKind } from "./mutant.ts";
import type { Token } from "./sql-tokens.ts";

const CONNECTORS = new Set(["where", "and", "or", "on", "having"]);
const ENDS = new Set(
  "and or where group order limit for returning union then else end when join left inner cross full on window offset having as from set do using with".split(
    " ",
  ),
);
const NO_CONDITION = new Set([...ENDS, "true", "false", "select", "case", "conflict", "update", "delete", "insert"]);
const LEADING = new Set(["not", "exists", "case", "in", "any", "is", "between", "like", "distinct"]);
const ACCESS = /visible|seen|sees|manages|narrow|current_actor|opento|permits|allowed/i;
const STATE = /state|status|kind|role|phase|outcome|visibility|purpose|action/;

/** Index after the condition that starts at `from`. */
function conditionEnd(tokens: readonly Token[], from: number): number {
  const depth = tokens[from]?.depth ?? 0;
  let isBetween = false;
  let cases = 0;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    if (token.depth < depth || (token.depth === depth && /^[,;]$/.test(token.text))) return at;
    if (token.depth > depth) continue;
    if (token.text === "case") cases++;
    if (token.text === "end" && cases > 0) cases--;
    else if (cases > 0) continue;
    else if (token.text === "between") isBetween = true;
    else if (token.text === "and" && isBetween) isBetween = false;
    else if (token.kind === "word" && ENDS.has(token.text) && !isDistinctFrom(tokens, at)) return at;
    else if (at > from && token.kind === "hole" && isOperand(tokens[at - 1] as Token)) return at;
  }
  return tokens.length;
}
const isDistinctFrom = (tokens: readonly Token[], at: number) =>
  tokens[at]?.text === "from" && tokens[at - 1]?.text === "distinct";
/** True if the token can end an operand: a following interpolated expression is then a clause of its own. */
const isOperand = ({ kind, text }: Token) =>
  kind === "word" ? !LEADING.has(text) : kind !== "operator" && !/^[([,']$/.test(text);

const WORKSPACE = /workspace(?:_id|Id)?\W*$|^\W*current_workspace\(\)\W*$|^\W*\$\d+(?:::uuid)?\W*$/;
/** `t.workspace_id = p.workspace_id`, in any notation of the Workspace. */
function isAboutWorkspace(written: string): boolean {
  const sides = written.split("=");
  return sides.length === 2 && /workspace/i.test(written) && sides.every((side) => WORKSPACE.test(side));
}

function kindOf(tokens: readonly Token[], otherwise: MutantKind = "predicate"): MutantKind {
  if (tokens.some(({ kind, text }) => (kind === "word" || kind === "hole") && ACCESS.test(text))) return "access";
  const isState = tokens.some(({ kind, text }) => kind === "word" && STATE.test(text));
  return isState && tokens.some(({ kind }) => kind === "text") ? "state" : otherwise;
}

function* conditionChanges(source: string, tokens: readonly Token[]): Generator<Change> {
  for (const [at, { kind, text, depth }] of tokens.entries()) {
    if (kind !== "word" || !CONNECTORS.has(text)) continue;
    if (text === "and" && isUpperBound(tokens, at)) continue;
    const starts = [at + 1];
    // The first of several alternatives in parentheses has no connector before it.
    if (text === "or") {
      const opening = tokens.slice(0, at).findLastIndex((token) => token.depth < depth);
      const first = tokens.slice(opening + 1, at).findIndex((token) => token.depth === depth);
      const isFirst = !tokens
        .slice(opening + 1, at)
        .some((token) => token.depth === depth && CONNECTORS.has(token.text));
      if (isFirst && first >= 0) starts.push(opening + 1);
    }
    for (const from of starts) {
      const until = conditionEnd(tokens, from);
      if (from < at && until !== at) continue;
      const condition = tokens.slice(from, until);
      const [first, last] = [condition[0], condition.at(-1)];
      if (!first || !last || (first.kind === "word" && NO_CONDITION.has(first.text))) continue;
      // A column with an interpolated comparison.
      if (condition.length === 1 && first.kind === "word" && tokens[until]?.kind === "hole") continue;
      const follows = tokens[until]?.depth === first.depth ? tokens[until]?.text : undefined;
      const isAlternative = text === "or" || follows === "or";
      const written = source.slice(first.start, last.end);
      if (isAboutWorkspace(written)) continue;
      const after = isAlternative ? `((${written}) and false)` : `((${written}) or true)`;
      yield { kind: kindOf(condition), start: first.start, end: last.end, after };
    }
  }
}
/** The `and` of `between x and y`. */
function isUpperBound(tokens: readonly Token[], at: number): boolean {
  const depth = tokens[at]?.depth;
  const before = tokens.slice(0, at).filter((token) => token.depth === depth);
  const latest = before.findLast(({ text }) => text === "between" || CONNECTORS.has(text));
  return latest?.text === "between";
}

function* negationChanges(source: string, tokens: readonly Token[]): Generator<Change> {
  for (const [at, { kind, text, start }] of tokens.entries()) {
    if (kind !== "word" || text !== "not") continue;
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    if (!next || /^(?:materialized|valid|deferrable)$/.test(next.text)) continue;
    const near = tokens.slice(Math.max(0, at - 2), at + 3);
    if (next.text === "null" && before?.text !== "is") continue;
    yield { kind: kindOf(near), start, end: next.end, after: source.slice(next.start, next.end) };
  }
  for (const [at, { text, start, end }] of tokens.entries())
    if (text === "null" && tokens[at - 1]?.text === "is")
      yield { kind: kindOf(tokens.slice(Math.max(0, at - 2), at)), start, end, after: "not null" };
}

const MOVED: Record<string, string> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const OPPOSITE: Record<string, string> = { min: "max", max: "min", least: "greatest", greatest: "least" };
function* boundChanges(source: string, tokens: readonly Token[]): Generator<Change> {
  for (const [at, { kind, text, start, end }] of tokens.entries()) {
    const next = tokens[at + 1];
    // Skips comparisons with the current time: no test hits the exact moment.
    const isClock = [tokens[at - 3], tokens[at - 1], next].some((near) => near?.text === "now");
    if (kind === "operator" && MOVED[text] && !isClock) yield { kind: "bound", start, end, after: MOVED[text] };
    if (kind === "word" && OPPOSITE[text] && next?.text === "(")
      yield { kind: "bound", start, end, after: OPPOSITE[text] };
    const isMore = text === "limit" && (next?.kind === "parameter" || next?.kind === "hole");
    if (isMore && next) {
      const written = source.slice(next.start, next.end);
      yield { kind: "bound", start: next.start, end: next.end, after: `greatest(${written} - 1, 0)` };
    }
  }
}

function* stateChanges(tokens: readonly Token[]): Generator<Change> {
  for (const [at, { kind, text, start, end }] of tokens.entries()) {
    if (kind !== "text" || !/^'[a-z_]+'$/.test(text)) continue;
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    const compared = tokens[at - 2];
    if (before?.text === "=" && compared?.kind === "word" && STATE.test(compared.text) && !isAssigned(tokens, at - 2))
      yield { kind: "state", start: before.start, end: before.end, after: "<>" };
    // A list must have at least one element.
    const isListed = /^[([,]$/.test(before?.text ?? "") && /^[)\],]$/.test(next?.text ?? "") && isList(tokens, at);
    if (isListed && next?.text === ",")
      yield { kind: "state", start, end: tokens[at + 2]?.start ?? next.end, after: "" };
    else if (isListed && before?.text === ",") yield { kind: "state", start: before.start, end, after: "" };
  }
}
/** True in `set state = 'open'` and `json_build_object`, where nothing is compared. */
function isAssigned(tokens: readonly Token[], at: number): boolean {
  const depth = tokens[at]?.depth;
  const clause = tokens
    .slice(0, at)
    .findLast((token) => token.depth === depth && /^(?:set|where|on|and|or|when|select|case)$/.test(token.text));
  return clause?.text === "set";
}
/** True for `in (…)` and `array[…]`, which hold a list and not the arguments of a function. */
function isList(tokens: readonly Token[], at: number): boolean {
  const depth = tokens[at]?.depth ?? 0;
  const opening = tokens.slice(0, at).findLastIndex((token) => token.depth < depth && /^[([]$/.test(token.text));
  return /^(?:in|array)$/.test(tokens[opening - 1]?.text ?? "");
}

function* orderChanges(source: string, tokens: readonly Token[]): Generator<Change> {
  for (const [at, { text }] of tokens.entries()) {
    if (text !== "by" || tokens[at - 1]?.text !== "order") continue;
    const key = tokens[at + 1];
    if (!key) continue;
    const stop = tokens.findIndex(
      (token, index) =>
        index > at &&
        (token.depth < key.depth ||
          (token.depth === key.depth && /^(?:,|;|limit|for|offset|nulls|desc|asc|rows|range|union)$/.test(token.text))),
    );
    const ending = stop < 0 ? undefined : tokens[stop];
    const last = tokens[(stop < 0 ? tokens.length : stop) - 1];
    if (!last || last.end <= key.start || (last.kind === "hole" && last !== key)) continue;
    if (ending?.text === "desc") yield { kind: "ordering", start: ending.start, end: ending.end, after: "asc" };
    else if (ending?.text === "asc") yield { kind: "ordering", start: ending.start, end: ending.end, after: "desc" };
    else if (last.kind !== "hole")
      yield { kind: "ordering", start: last.start, end: last.end, after: `${source.slice(last.start, last.end)} desc` };
  }
}

export function sqlChanges(source: string, tokens: readonly Token[]): Change[] {
  return [
    ...conditionChanges(source, tokens),
    ...negationChanges(source, tokens),
    ...boundChanges(source, tokens),
    ...stateChanges(tokens),
    ...orderChanges(source, tokens),
  ];
}
