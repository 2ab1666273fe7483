// What a domain tells the store: how its operations change a row before the answer is there, and how a row is read again. The store knows
// no domain; web/src/domains.ts puts them together.
import type { Client } from "@svc/client";
import type { Change } from "./change.ts";
import type { AnyRow, Kind, Rows } from "./rows.ts";

/** What an answer brings: rows by kind, and ids of those that are gone. */
export type Brought = { [K in Kind]?: readonly Rows[K][] } & { gone?: { [K in Kind]?: readonly string[] } };

export interface Operation<Row extends AnyRow = AnyRow> {
  kind: Kind;
  /** Pure: the row as it will be; undefined where there is none yet or any more. Tested against the service's answer. */
  apply(
    row: Row | undefined,
    change: Pick<Change, "input" | "guess" | "creates" | "madeAt">,
    id: string,
  ): Row | undefined;
  /** What the answer says about what was changed; without it the answer is the row. */
  took?(answer: unknown, change: Change, api: Client): Promise<Brought>;
  /** Reads what it changed again, where the answer does not say it; after Undo and Redo, too. */
  rows?(change: Change, api: Client): Promise<Brought>;
  /** The input that takes it back, where the service cannot undo it: the same operation, sent as a change of its own. */
  inverse?(change: Change): Change["input"];
  /** Done by the way, such as marking what was opened as read: nobody is told, and Undo leaves it alone. */
  quiet?(change: Change): boolean;
  /** It takes no If-Match, or none with these fields alone. */
  unmatched?: true | readonly string[];
  /** The If-Match of what is not there yet, where the operation makes it. */
  absent?: string;
  /** There is no way back from it, so that no Undo is offered. */
  final?: true;
}

export interface Domain {
  operations?: Record<string, Operation<never>>;
  /** Reads a row again; what is not there any more is `gone`. */
  read?: { [K in Kind]?: (api: Client, id: string) => Promise<Brought> };
}

export interface Domains {
  operation(name: string): Operation;
  read(kind: Kind): ((api: Client, id: string) => Promise<Brought>) | undefined;
}

export function together(domains: readonly Domain[]): Domains {
  const operations = new Map(domains.flatMap(({ operations = {} }) => Object.entries(operations)));
  const reads = new Map(domains.flatMap(({ read = {} }) => Object.entries(read)));
  return {
    operation(name) {
      const found = operations.get(name);
      if (!found) throw new TypeError(`${name} is no operation of a domain`);
      return found as unknown as Operation;
    },
    read: (kind) => reads.get(kind) as ReturnType<Domains["read"]>,
  };
}
