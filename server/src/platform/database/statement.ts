// Statements as they go to PostgreSQL: what is started together is one batch with one Sync, so that the server wakes, flushes and
// answers once; each text is parsed and planned once a connection; columns never change, so they are described once and not at each
// execution. Measured against the driver's own path: half the CPU of a three-statement batch. A failed statement ends its batch.
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
 * A function whose object literal has these columns: all rows of a statement then share one shape, which makes building and reading
 * them several times faster than filling an empty object. Names and positions come from our own SQL.
 */
function rowBuilder(names: string[], parsers: Parse[]): (fields: (string | null)[]) => Row {
  const columns = names.map((name, at) => `${JSON.stringify(name)}: f[${at}] === null ? null : p[${at}](f[${at}])`);
  return new Function("p", `return (f) => ({ ${columns.join(", ")} })`)(parsers);
}

/**
 * Filters and what is brought along can be combined in more ways than anybody could keep: of these texts the latest are known, and of those
 * that a connection has parsed too.
 */
const MOST_TEXTS = 5_000;
const MOST_PARSED = 1_000;

const statements = new Map<string, Statement>();
/** Lets go of the first that came. */
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

/** One statement with its values, on its way. */
export interface Execution {
  statement: Statement;
  values: readonly unknown[];
  rows: Row[];
  /** What the server says it did: SELECT 1, COMMIT, ROLLBACK. */
  command: string;
  resolve(execution: Execution): void;
  reject(error: Error): void;
}

/** The part of the driver's connection that a batch writes to. */
interface Wire {
  stream: { writable: boolean; write(bytes: Buffer): boolean };
}

/**
 * A plan is made for the tables as they are, and kept: one that was made while a table was nearly empty would read all of it for each row of
 * another (measured: 5 s in place of 25 ms after 1,200 Tasks had come within a minute). PostgreSQL plans anew once a table was analysed, which may
 * be a minute late. So a plan is good for a second at first, and then for twice as long each time: a hot statement is planned ten times in
 * its first quarter of an hour, and about seven times an hour afterwards.
 */
const LONGEST_MS = 512_000;
/** Lifetime of the first plan of a statement on a connection, and the clock that measures it. */
export const planLife = { firstMs: 1_000, now: () => performance.now() };
interface Named {
  name: string;
  until: number;
  forMs: number;
}

/** The names under which a connection knows its statements. */
export class Names {
  private count = 0;
  private readonly known = new Map<Statement, Named>();
  private readonly now: () => number;
  private readonly most: number;
  constructor(now: () => number = () => planLife.now(), most = MOST_PARSED) {
    this.now = now;
    this.most = most;
  }
  /** The name that the statement has, unless it is to be planned anew: then also the name to let go, the one that it had or that of another. */
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
  /** After a failure nobody knows whether it was parsed, so the next use parses it under a new name. */
  forget = (statement: Statement) => this.known.delete(statement);
}
const namesOn = new WeakMap<Wire, Names>();

const Query = pg.Query as unknown as new (text: string) => object;

/** A query that puts itself on the wire and hears the answers in order. */
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

  /** One buffer and one write: a write for each message costs twice as much. An error returned here comes back through handleError. */
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
