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

/** More ways to combine filters and what is brought along than these are put together anew. */
const MOST_TEXTS = 2_000;
/** Remembers the text for its parts: putting a long one together at each request costs more than sending it. */
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
 * Asked of a row that is found by its id. Said plainly, a condition lets the database find the row in a partial index, of all that is in this state: without
 * statistics, or with those of a quiet hour, it takes them for few, and reads them all. No predicate of an index matches a CASE.
 */
export const checked = (condition: string) => `case when ${condition} then true else false end`;

/**
 * A row to be changed, found together with what it leads to. Somebody may lead it elsewhere while this waits for its lock, and what waited
 * then finds nothing where it looked: it looks once more.
 */
export const locked = async <Row>(tx: Queries, sql: string, values: unknown[]): Promise<Row | undefined> =>
  (await tx.maybe<Row>(sql, values)) ?? tx.maybe<Row>(sql, values);

/** Of texts in a page, in bytes: a hundred of the longest would be a hundred megabytes. */
export const MOST_TEXT = 1_048_576;
interface Paged {
  /** The rows of the page and one more, as `alias`. */
  rows: string;
  alias: string;
  /** The column with the long text, and those of the order with their directions. */
  text: string;
  order: string;
  json: string;
  key: string;
}
/**
 * A page that ends where its texts are as much as it holds: what is behind that is `cut`, and the first row never is. How long a text is is
 * known without reading it, and what is cut is not read.
 */
export const untilFull = ({ rows, alias, text, order, json, key }: Paged) => `
select case when not ${alias}.cut then ${json} end as json, ${key} as key, ${alias}.cut from (
  select ${alias}.*, row_number() over w > 1 and sum(octet_length(${alias}.${text})) over w > ${MOST_TEXT} as cut
  from (${rows}) ${alias} window w as (order by ${order})
) ${alias} order by ${order}`;
