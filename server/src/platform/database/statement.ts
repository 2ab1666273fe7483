// Batched, prepared statements. Statements that start together form one batch with one Sync, so that the server wakes,
// flushes and answers once; each text is parsed and planned once per connection; columns never change, so they are
// described once and not at each execution. Measured against the driver's own path: half the CPU of a three-statement
// batch. A failed statement ends its batch.
import pg from "pg";
import { serialize } from "pg-protocol";

type Parse = (text: string) => unknown;
type Row = Record<string, unknown>;
export interface Statement {
  text: string;
  /** Builds a row from the fields on the wire; undefined until the columns were described. */
  build: ((fields: (string | null)[]) => Row) | undefined;
}

/**
 * Generates a function whose object literal has these columns: all rows of a statement then share one shape, which
 * makes building and reading them several times faster than filling an empty object. Names and positions come from our
 * own SQL.
 */
function rowBuilder(names: string[], parsers: Parse[]): (fields: (string | null)[]) => Row {
  const columns = names.map((name, at) => `${JSON.stringify(name)}: f[${at}] === null ? null : p[${at}](f[${at}])`);
  return new Function("p", `return (f) => ({ ${columns.join(", ")} })`)(parsers);
}

/**
 * Cache sizes, for all texts and for those parsed per connection: filters and includes have more combinations than
 * memory could hold.
 */
const MOST_TEXTS = 5_000;
const MOST_PARSED = 1_000;

const statements = new Map<string, Statement>();
/** Removes the oldest entry of a map and returns its value. */
function forgetFirst<Key, Value>(known: Map<Key, Value>): Value {
  const [key, value] = known.entries().next().value as [Key, Value];
  known.delete(key);
  return value;
}
export function statementOf(text: string): Statement {
  let statement = statements.get(text);
  if (statement === undefined) {
    statement = { text, build: undefined };
    statements.set(text, statement);
    if (statements.size > MOST_TEXTS) forgetFirst(statements);
  }
  return statement;
}

/** One statement in flight, with its values. */
export interface Execution {
  statement: Statement;
  values: readonly unknown[];
  rows: Row[];
  /** Command tag of the server: SELECT 1, COMMIT, ROLLBACK. */
  command: string;
  resolve(execution: Execution): void;
  reject(error: Error): void;
}

/** The part of the driver's connection that a batch writes to. */
interface Wire {
  stream: { writable: boolean; write(bytes: Buffer): boolean };
}

/**
 * Longest lifetime of a cached plan. A plan fits the tables at the time it was made: one made while a table was nearly
 * empty would scan it for each row of another (measured: 5 s instead of 25 ms after 1,200 Tasks had come within a
 * minute). PostgreSQL replans once a table was analysed, which may be a minute late. So a plan lives for a second at
 * first, and then twice as long each time: a hot statement is planned ten times in its first quarter of an hour, and
 * about seven times an hour afterwards.
 */
const LONGEST_MS = 512_000;
/** Lifetime of the first plan of a statement on a connection, and the clock that measures it. */
export const planLife = { firstMs: 1_000, now: () => performance.now() };
interface Named {
  name: string;
  until: number;
  forMs: number;
}

/** Names of the prepared statements on one connection. */
export class Names {
  private count = 0;
  private readonly known = new Map<Statement, Named>();
  private readonly now: () => number;
  private readonly most: number;
  constructor(now: () => number = () => planLife.now(), most = MOST_PARSED) {
    this.now = now;
    this.most = most;
  }
  /**
   * Name of the prepared statement. If its plan has expired, returns a new name and, to be closed, the old one or that
   * of an evicted statement.
   */
  of(statement: Statement): { name: string; parse: boolean; outlived?: string } {
    const known = this.known.get(statement);
    const now = this.now();
    if (known && now < known.until) return { name: known.name, parse: false };
    const forMs = known ? Math.min(known.forMs * 2, LONGEST_MS) : planLife.firstMs;
    const name = `s${this.count++}`;
    this.known.delete(statement);
    this.known.set(statement, { name, until: now + forMs, forMs });
    const crowded = this.known.size > this.most ? forgetFirst(this.known).name : undefined;
    return { name, parse: true, outlived: known?.name ?? crowded };
  }
  /** After a failure it is unknown whether the statement was parsed, so the next use parses it under a new name. */
  forget = (statement: Statement) => this.known.delete(statement);
}
const namesOn = new WeakMap<Wire, Names>();

const Query = pg.Query as unknown as new (text: string) => object;

/** A query object for the driver that writes the batch itself and receives the answers in order. */
export class Batch extends Query {
  private readonly executions: readonly Execution[];
  private readonly done: () => void;
  private readonly parsing = new Set<Execution>();
  private names = new Names();
  private at = 0;

  constructor(executions: readonly Execution[], done: () => void) {
    super("batch");
    this.executions = executions;
    this.done = done;
  }

  /**
   * Writes one buffer: a write for each message costs twice as much. The driver passes a returned error to handleError.
   */
  submit(wire: Wire): Error | undefined {
    this.names = namesOn.get(wire) ?? this.names;
    namesOn.set(wire, this.names);
    try {
      const messages = this.executions.flatMap((execution) => this.messages(execution));
      const bytes = Buffer.concat([...messages, serialize.sync()]);
      if (wire.stream.writable) wire.stream.write(bytes);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  private messages(execution: Execution): Buffer[] {
    const { statement, values } = execution;
    const messages: Buffer[] = [];
    const { name, parse, outlived } = this.names.of(statement);
    if (parse) {
      this.parsing.add(execution);
      if (outlived !== undefined) messages.push(serialize.close({ type: "S", name: outlived }));
      messages.push(serialize.parse({ name, text: statement.text }));
    }
    messages.push(serialize.bind({ statement: name, values: values as unknown[], valueMapper: asText }));
    if (statement.build === undefined) messages.push(serialize.describe({ type: "P" }));
    messages.push(serialize.execute());
    return messages;
  }

  private get current() {
    return this.executions[this.at] as Execution;
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
    const parsers = fields.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID) as Parse);
    this.current.statement.build = rowBuilder(
      fields.map(({ name }) => name),
      parsers,
    );
  }

  handleDataRow({ fields }: { fields: (string | null)[] }) {
    const { statement, rows } = this.current;
    rows.push((statement.build as NonNullable<Statement["build"]>)(fields));
  }

  handleCommandComplete({ text }: { text: string }) {
    this.current.command = text;
    // A statement without rows has no description.
    this.current.statement.build ??= () => ({});
    this.at++;
  }

  handleReadyForQuery() {
    this.done();
    for (const execution of this.executions) execution.resolve(execution);
  }

  handleError(error: Error) {
    this.done();
    for (const [index, execution] of this.executions.entries()) {
      if (index < this.at) execution.resolve(execution);
      else {
        if (this.parsing.has(execution)) this.names.forget(execution.statement);
        execution.reject(error);
      }
    }
  }
}

/** Parameters are text, buffers, numbers, booleans, arrays of text, plain objects as JSON, or null. */
function asText(value: unknown): string | Buffer | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return arrayLiteral(value);
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const arrayLiteral = (values: unknown[]): string =>
  `{${values.map((value) => (value === null ? "NULL" : `"${String(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`)).join(",")}}`;
