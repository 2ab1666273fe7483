// A mutant is one change of the sources that a test should notice.
import { createHash } from "node:crypto";

export const KINDS = ["access", "predicate", "bound", "state", "ordering"] as const;
export type MutantKind = (typeof KINDS)[number];

/** A replacement of source[start, end) by `after`. */
export interface Change {
  kind: MutantKind;
  start: number;
  end: number;
  after: string;
}

export interface Mutant extends Change {
  /** Digest of the statement and the change: it survives edits elsewhere in the file, and a new name of the file. */
  id: string;
  path: string;
  line: number;
  before: string;
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);
const flat = (text: string) => text.replace(/\s+/g, " ").trim();

/** Adds the identity and the description of a change; `statement` is the top-level statement around it. */
export function describe(
  path: string,
  source: string,
  statement: { start: number; end: number },
  change: Change,
): Mutant {
  const { start, end, after } = change;
  const changed = source.slice(statement.start, start) + after + source.slice(end, statement.end);
  const id = digest([source.slice(statement.start, statement.end), changed].map(flat).join("\n"));
  const line = source.slice(0, start).split("\n").length;
  return { ...change, id, path, line, before: source.slice(start, end) };
}

/** Mutants by id. If several files have the same statement, the ids of its mutants depend on the file. */
export function byId(mutants: readonly Mutant[]): Map<string, Mutant> {
  const groups = Map.groupBy(mutants, ({ id }) => id);
  const distinct = mutants.map((mutant) =>
    groups.get(mutant.id)?.length === 1 ? mutant : { ...mutant, id: digest(`${mutant.path}\n${mutant.id}`) },
  );
  return new Map(distinct.map((mutant) => [mutant.id, mutant]));
}

export function applied(source: string, { start, end, after, before }: Mutant): string {
  if (source.slice(start, end) !== before) throw new Error("The source has changed since the run began.");
  return source.slice(0, start) + after + source.slice(end);
}

/** The change in one line. */
export function shown({ before, after }: Pick<Mutant, "before" | "after">): string {
  const short = (text: string) =>
    flat(text).length > 110 ? `${flat(text).slice(0, 107)}...` : flat(text) || "nothing";
  return `${short(before)} -> ${short(after)}`;
}
