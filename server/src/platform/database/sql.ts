// SQL that is assembled at run time. Column names come from validated bodies, whose schemas refuse unknown fields;
// values are always parameters. Each distinct set of fields is one named statement.
import { isDeepStrictEqual } from "node:util";
import type { Queries } from "./db.ts";

/**
 * Fields of a body that differ from the stored values; null if none does. A change without differences is answered with
 * the current resource: it raises no revision and records nothing.
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

/** Maximum number of cached texts; combinations of filters and includes above it are built again. */
const MOST_TEXTS = 2_000;
/** Caches the text by its parts: building a long one on each request costs more than sending it. */
export function cachedSql<Parts extends string[]>(
  build: (...parts: Parts) => string,
  most = MOST_TEXTS,
): (...parts: Parts) => string {
  const texts = new Map<string, string>();
  return (...parts) => {
    const key = parts.join("\n");
    let text = texts.get(key);
    if (text === undefined) {
      text = build(...parts);
      texts.set(key, text);
      if (texts.size > most) texts.delete(texts.keys().next().value as string);
    }
    return text;
  };
}

/**
 * Wraps a condition on a row that is found by its id. A plain condition lets the planner pick a partial index over all
 * rows in this state: without statistics, or with outdated ones, it underestimates their number and reads them all. No
 * index predicate matches a CASE.
 */
export const checked = (condition: string) => `case when ${condition} then true else false end`;

/**
 * Locks a row for update together with a row that it references. If the reference changes while this waits for the
 * lock, the query finds nothing, so it runs once more.
 */
export const locked = async <Row>(tx: Queries, sql: string, values: unknown[]): Promise<Row | undefined> =>
  (await tx.maybe<Row>(sql, values)) ?? tx.maybe<Row>(sql, values);

/** Maximum size of the texts in a page, in bytes: a hundred of the longest would take a hundred megabytes. */
export const MOST_TEXT = 1_048_576;
interface Paged {
  /** Query for the rows of the page and one more, as `alias`. */
  rows: string;
  alias: string;
  /** The column with the long text, and the columns of the order with their directions. */
  text: string;
  order: string;
  json: string;
  key: string;
}
/**
 * Ends a page when its texts exceed MOST_TEXT: rows after that are `cut`, but never the first. PostgreSQL knows the
 * length of a text without reading it, and does not read the texts of cut rows.
 */
export const untilFull = ({ rows, alias, text, order, json, key }: Paged) => `
select case when not ${alias}.cut then ${json} end as json, ${key} as key, ${alias}.cut from (
  select ${alias}.*, row_number() over w > 1 and sum(octet_length(${alias}.${text})) over w > ${MOST_TEXT} as cut
  from (${rows}) ${alias} window w as (order by ${order})
) ${alias} order by ${order}`;
