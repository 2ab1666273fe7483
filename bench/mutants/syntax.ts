// The syntax tree of one source file: its nodes with their positions, and the positions where a changed tree would no
// longer compile as intended. It uses the parser that runs the tests.
import { parseSync } from "vite";

export interface Syntax {
  [key: string]: unknown;
  type: string;
  start: number;
  end: number;
}

export const isSyntax = (value: unknown): value is Syntax => typeof (value as Syntax | null)?.type === "string";

/** Statements at the top level of a file. */
export const statementsOf = (path: string, text: string) => parseSync(path, text).program.body as unknown as Syntax[];

/** Every node below a node, parents before children, in the order of the text. */
export function* nodesIn(
  root: Syntax,
  above: readonly Syntax[] = [],
): Generator<{ node: Syntax; above: readonly Syntax[] }> {
  yield { node: root, above };
  const within = [...above, root];
  for (const value of Object.values(root))
    for (const child of Array.isArray(value) ? value : [value]) if (isSyntax(child)) yield* nodesIn(child, within);
}

/** The value of a string literal, or undefined. */
export const stringOf = (node: unknown): string | undefined =>
  isSyntax(node) && node.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
