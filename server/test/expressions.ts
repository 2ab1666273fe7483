// Regular expressions in the sources, and what is known about the time that each takes. A checker decides once for each
// expression (npm run expressions); its verdicts are stored by digest, so that the tests need no checker.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

export interface Expression {
  source: string;
  flags: string;
  line: number;
}

/** Sources whose expressions are checked. */
export const checkedFolders = ["server/src", "document/src", "web/src", "client/src", "cli/src", "contract/src"];
export const VERDICTS = join(import.meta.dirname, "expressions.json");
type Verdicts = Record<string, string>;
/**
 * `linear` by digest; by digest and path: `superlinear`, or a sentence that says what bounds the texts that reach the
 * expression there.
 */
export const readVerdicts = () => JSON.parse(readFileSync(VERDICTS, "utf8")) as Verdicts;

export const placeOf = (expression: Expression, path: string) => `${digestOf(expression)} ${path}`;
export const verdictIn = (verdicts: Verdicts, expression: Expression, path: string): string | undefined =>
  verdicts[digestOf(expression)] ?? verdicts[placeOf(expression, path)];

export const digestOf = ({ source, flags }: Pick<Expression, "source" | "flags">) =>
  createHash("sha256").update(`/${source}/${flags}`).digest("hex").slice(0, 16);

interface Syntax {
  [key: string]: unknown;
  type: string;
}
const isSyntax = (value: unknown): value is Syntax => typeof (value as Syntax | null)?.type === "string";

/** A file without these has no expression: parsing the others alone takes a third of the time. */
const LIKELY =
  /(?:[(=:,[!&|?;{}>\n]|\b(?:return|throw|case|typeof|await|void|in|of|else|do|default))[ \t]*\/[^/*\s]|RegExp\(/;

/**
 * Literals, and `RegExp` of texts that are constant in the file. What is put together at run time is in
 * collected-expressions.ts.
 */
export function expressionsIn({ path, text }: { path: string; text: string }): Expression[] {
  if (!LIKELY.test(text)) return [];
  const found: Expression[] = [];
  const constants = new Map<string, string>();
  const lineOf = (node: Syntax) => text.slice(0, node.start as number).split("\n").length;
  const open: unknown[] = [parseSync(path, text).program];
  for (let node = open.pop(); open.length > 0 || node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null) continue;
    if (isSyntax(node)) {
      const regex = node.regex as { pattern: string; flags: string } | undefined;
      if (node.type === "Literal" && regex)
        found.push({ source: regex.pattern, flags: regex.flags, line: lineOf(node) });
      if (node.type === "VariableDeclarator") {
        const value = constantOf(node.init, constants);
        if (value !== undefined) constants.set(String((node.id as Syntax).name), value);
      }
      if (/^(?:New|Call)Expression$/.test(node.type) && (node.callee as Syntax).name === "RegExp") {
        const [source, flags] = (node.arguments as unknown[]).map((each) => constantOf(each, constants));
        if (source !== undefined) found.push({ source, flags: flags ?? "", line: lineOf(node) });
      }
    }
    open.push(...Object.values(node).reverse());
  }
  return found;
}

function constantOf(node: unknown, constants: ReadonlyMap<string, string>): string | undefined {
  if (!isSyntax(node)) return undefined;
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "Identifier") return constants.get(String(node.name));
  const isRaw = node.type === "TaggedTemplateExpression" && (node.tag as Syntax).type === "MemberExpression";
  const template = (isRaw ? node.quasi : node) as Syntax;
  if (template.type !== "TemplateLiteral") return undefined;
  const parts = (template.expressions as unknown[]).map((each) => constantOf(each, constants));
  if (parts.includes(undefined)) return undefined;
  const texts = (template.quasis as { value: { cooked: string; raw: string } }[]).map(({ value }) =>
    isRaw ? value.raw : value.cooked,
  );
  return texts.map((each, at) => each + (parts[at] ?? "")).join("");
}
