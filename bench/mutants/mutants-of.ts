// All mutants of one source file.
import { codeChanges } from "./code-changes.ts";
import { type Change, describe, type Mutant } from "./mutant.ts";
import { sqlChanges } from "./sql-changes.ts";
import { isSql, sqlTokens } from "./sql-tokens.ts";
import { nodesIn, type Syntax, statementsOf, stringOf } from "./syntax.ts";

function templateChanges(source: string, node: Syntax): Change[] {
  const range = { start: node.start + 1, end: node.end - 1 };
  const holes = (node.expressions as Syntax[]).map((expression) => ({
    start: source.lastIndexOf("${", expression.start),
    end: source.indexOf("}", expression.end) + 1,
  }));
  const tokens = sqlTokens(source, range, holes);
  return isSql(tokens) ? sqlChanges(source, tokens) : [];
}

function stringChanges(source: string, node: Syntax): Change[] {
  // An escape sequence would shift the positions.
  if (source.slice(node.start + 1, node.end - 1) !== node.value) return [];
  const tokens = sqlTokens(source, { start: node.start + 1, end: node.end - 1 }, []);
  return isSql(tokens) ? sqlChanges(source, tokens) : [];
}

const changesOf = (source: string, node: Syntax, above: readonly Syntax[]): Change[] => {
  if (node.type === "TemplateLiteral") return templateChanges(source, node);
  return [...(stringOf(node) === undefined ? [] : stringChanges(source, node)), ...codeChanges(source, node, above)];
};

/** Files about access contain only access rules. */
const ABOUT_ACCESS = /(?:^|[/-])access\.ts$/;

export function mutantsOf(path: string, source: string): Mutant[] {
  const found = statementsOf(path, source).flatMap((statement) =>
    /^(?:Import|ExportAll|TS)/.test(statement.type)
      ? []
      : [...nodesIn(statement)]
          .flatMap(({ node, above }) => changesOf(source, node, above))
          .map((change) => describe(path, source, statement, change)),
  );
  const about = (mutant: Mutant): Mutant =>
    ABOUT_ACCESS.test(path) && mutant.kind === "predicate" ? { ...mutant, kind: "access" } : mutant;
  return [...new Map(found.map((mutant) => [mutant.id, about(mutant)])).values()];
}
