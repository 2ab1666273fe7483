// The little SQL that is put together at run time. Column names come from validated bodies, whose schemas refuse unknown fields;
// values are always parameters. Each distinct set of fields is one named statement.
import { isDeepStrictEqual } from "node:util";
import type { Queries } from "./db.ts";

/**
 * What of a body is not so already; null where all of it is. A change of nothing is then answered with what is there: it raises no revision and
 * records nothing.
 */
export function differing<Body extends object>(body: Body, before: object): Partial<Body> | null {
  const fields = Object.entries(body).filter(
    ([field, value]) => !isDeepStrictEqual(value, (before as Record<string, unknown>)[field]),
  );
  return fields.length === 0 ? null : (Object.fromEntries(fields) as Partial<Body>);
}

/** `a = $3, b = $4` for the fields present in a PATCH body, in a fixed order so that equal sets share a statement. */
export function changes(body: Record<string, unknown>, parametersBefore: number) {
  const fields = Object.keys(body).sort();
  return {
    fields,
    assignments: fields.map((field, index) => `${field} = $${parametersBefore + 1 + index}`).join(", "),
    values: fields.map((field) => body[field]),
  };
}

/** Remembers the text for its parts: putting a long one together at each request costs more than sending it. */
export function cachedSql<Parts extends string[]>(build: (...parts: Parts) => string): (...parts: Parts) => string {
  const texts = new Map<string, string>();
  return (...parts) => {
    const key = parts.join("\n");
    let text = texts.get(key);
    if (text === undefined) {
      text = build(...parts);
      texts.set(key, text);
    }
    return text;
  };
}

/**
 * A row to be changed, found together with what it leads to. Somebody may lead it elsewhere while this waits for its lock, and what waited
 * then finds nothing where it looked: it looks once more.
 */
export const locked = async <Row>(tx: Queries, sql: string, values: unknown[]): Promise<Row | undefined> =>
  (await tx.maybe<Row>(sql, values)) ?? tx.maybe<Row>(sql, values);
