// Mutations of TypeScript: conditions, bounds, states, permissions and comparators. Each is found in the syntax tree,
// never in the text.
import type { Change, MutantKind } from "./mutant.ts";
import { isSyntax, type Syntax, stringOf } from "./syntax.ts";

const STATE = /^(?:state|status|phase|outcome|visibility|purpose|stage|health|result)$|State$|Status$/;
const ROLE = /^(?:role|capability|permission|verb|reach)$|Role$|Capability$|capabilit|permission/i;
const LIMIT = /(?:^|_)(?:MOST|MAX|LIMIT|LARGEST|LONGEST|DEEPEST|HIGHEST|ATTEMPTS|TRIES|ROOM)(?:_|$)/;
const MEASURE = /_(?:MS|S|SECONDS|MINUTES|HOURS|DAYS|BYTES)$/;

const nameOf = (node: unknown): string => {
  if (!isSyntax(node)) return "";
  if (node.type === "Identifier") return String(node.name);
  if (node.type === "ChainExpression") return nameOf(node.expression);
  return node.type === "MemberExpression" ? nameOf(node.property) : "";
};
const child = (node: Syntax, name: string) => node[name] as Syntax;
const children = (node: Syntax, name: string) => (node[name] as (Syntax | null)[] | undefined) ?? [];

const MOVED: Record<string, string> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const NEGATED: Record<string, string> = { "===": "!==", "!==": "===" };
const OPPOSITE: Record<string, string> = { min: "max", max: "min" };
const OTHER: Record<string, string> = { read: "manage", write: "read", manage: "write" };

/** The position of an operator between two operands. */
function operatorOf(source: string, node: Syntax): Pick<Change, "start" | "end"> {
  const operator = String(node.operator);
  const start = source.indexOf(operator, child(node, "left").end);
  return { start, end: start + operator.length };
}

function comparisonKind(node: Syntax): MutantKind {
  const sides = [child(node, "left"), child(node, "right")];
  const name = nameOf(sides.find((side) => stringOf(side) === undefined));
  if (!sides.some((side) => stringOf(side) !== undefined)) return "predicate";
  return ROLE.test(name) ? "access" : STATE.test(name) ? "state" : "predicate";
}

function binaryChanges(source: string, node: Syntax, above: readonly Syntax[]): Change[] {
  const operator = String(node.operator);
  const range = operatorOf(source, node);
  // Skips a loop's bound: an error there fails at once.
  if (above.some((parent) => parent.type === "ForStatement" && parent.test === node)) return [];
  // Skips comparisons with the current time: no test hits the exact moment.
  if (MOVED[operator] && /\bnow\b|\bDate\b/i.test(source.slice(node.start, node.end))) return [];
  if (MOVED[operator]) return [{ kind: "bound", ...range, after: MOVED[operator] }];
  if (NEGATED[operator]) return [{ kind: comparisonKind(node), ...range, after: NEGATED[operator] }];
  const right = child(node, "right");
  const left = child(node, "left");
  const isStep = (operator === "+" || operator === "-") && right.type === "Literal" && right.value === 1;
  return isStep ? [{ kind: "bound", start: node.start, end: node.end, after: source.slice(left.start, left.end) }] : [];
}

function logicalChanges(source: string, node: Syntax): Change[] {
  if (node.operator === "??") return [];
  const after = node.operator === "&&" ? "||" : "&&";
  // Operators of different precedence need parentheses around the replaced operand.
  const isNested = [child(node, "left"), child(node, "right")].some(
    (side) => side.type === "LogicalExpression" && source[side.start - 1] !== "(",
  );
  return isNested ? [] : [{ kind: "predicate", ...operatorOf(source, node), after }];
}

/** Removes one element; skips an array or set of one element. */
function listChanges(node: Syntax, kind: MutantKind): Change[] {
  const elements = children(node, "elements");
  if (elements.length < 2 || !elements.every((element) => stringOf(element) !== undefined)) return [];
  return (elements as Syntax[]).map((element, at) => {
    const next = elements[at + 1];
    return next
      ? { kind, start: element.start, end: next.start, after: "" }
      : { kind, start: (elements[at - 1] as Syntax).end, end: element.end, after: "" };
  });
}
const ROLES = new Set(["owner", "admin", "member", "viewer", "guest", "manager", "contributor"]);
const listKind = (node: Syntax): MutantKind =>
  children(node, "elements").some((element) => ROLES.has(stringOf(element) ?? "") || /:/.test(stringOf(element) ?? ""))
    ? "access"
    : "state";

function callChanges(node: Syntax): Change[] {
  const callee = child(node, "callee");
  const [first] = children(node, "arguments");
  const method = nameOf(callee);
  const changes: Change[] = [];
  if (node.type === "NewExpression" && method === "Set" && first?.type === "ArrayExpression")
    changes.push(...listChanges(first, listKind(first)));
  if (callee.type === "MemberExpression" && method === "includes" && child(callee, "object").type === "ArrayExpression")
    changes.push(...listChanges(child(callee, "object"), listKind(child(callee, "object"))));
  const isMath = callee.type === "MemberExpression" && nameOf(callee.object) === "Math";
  const property = child(callee, "property");
  if (isMath && OPPOSITE[method])
    changes.push({ kind: "bound", start: property.start, end: property.end, after: OPPOSITE[method] });
  const isSort = callee.type === "MemberExpression" && /^(?:sort|toSorted)$/.test(method);
  const [one, other] = isSort && first?.type === "ArrowFunctionExpression" ? children(first, "params") : [];
  if (one?.type === "Identifier" && other?.type === "Identifier")
    changes.push({ kind: "ordering", start: one.start, end: other.end, after: `${nameOf(other)}, ${nameOf(one)}` });
  for (const argument of children(node, "arguments")) {
    const [, family, verb] = /^([a-z_-]+):(read|write|manage)$/.exec(stringOf(argument) ?? "") ?? [];
    if (argument && family && verb)
      changes.push({ kind: "access", start: argument.start, end: argument.end, after: `"${family}:${OTHER[verb]}"` });
  }
  return changes;
}

/** `{ open: ["done", "cancelled"], done: ["open"] }`: a table of transitions, or of a role's permissions. */
function tableChanges(node: Syntax): Change[] {
  const lists = children(node, "properties")
    .filter((property) => property?.type === "Property" && nameOf(property.key) !== "stdio")
    .map((property) => property?.value)
    .filter((value): value is Syntax => isSyntax(value) && value.type === "ArrayExpression");
  return lists.length < 2 ? [] : lists.flatMap((list) => listChanges(list, listKind(list)));
}

function constantChanges(node: Syntax, above: readonly Syntax[]): Change[] {
  const name = nameOf(node.id);
  const value = node.init as Syntax | null;
  const isTop = above.every(({ type }) => /^(?:VariableDeclaration|ExportNamedDeclaration)$/.test(type));
  if (!isTop || !LIMIT.test(name) || MEASURE.test(name)) return [];
  if (value?.type !== "Literal" || typeof value.value !== "number") return [];
  return [{ kind: "bound", start: value.start, end: value.end, after: String(value.value + 1) }];
}

export function codeChanges(source: string, node: Syntax, above: readonly Syntax[]): Change[] {
  if (node.type === "BinaryExpression") return binaryChanges(source, node, above);
  if (node.type === "LogicalExpression") return logicalChanges(source, node);
  if (node.type === "UnaryExpression" && node.operator === "!")
    return [
      {
        kind: "predicate",
        start: node.start,
        end: node.end,
        after: source.slice(child(node, "argument").start, node.end),
      },
    ];
  if (node.type === "CallExpression" || node.type === "NewExpression") return callChanges(node);
  if (node.type === "ObjectExpression") return tableChanges(node);
  if (node.type === "VariableDeclarator") return constantChanges(node, above);
  return [];
}
