// Interface between a domain and the store: how its operations update a row optimistically, and how to refresh a row.
// The store knows no domain; web/src/shell/domains.ts registers them.
import type { Client } from "@svc/client";
import type { QueuedChange } from "./queue/change.ts";
import type { AnyRow, RowKind, Rows } from "./rows.ts";

/** Fetched rows by kind, and the ids of removed ones. */
export type Brought = { [K in RowKind]?: readonly Rows[K][] } & { gone?: { [K in RowKind]?: readonly string[] } };

export interface Operation<Row extends AnyRow = AnyRow> {
  kind: RowKind;
  /**
   * Optimistic update. Pure; returns the new row, or undefined if it does not exist yet or any more. Tests compare it
   * with the service's response.
   */
  apply(
    row: Row | undefined,
    change: Pick<QueuedChange, "input" | "guess" | "creates" | "madeAt">,
    id: string,
  ): Row | undefined;
  /** Extracts the changed rows from the response; by default the response is the row. */
  took?(answer: unknown, change: QueuedChange, api: Client): Promise<Brought>;
  /** Refreshes the changed rows if the response does not contain them; also after Undo and Redo. */
  rows?(change: QueuedChange, api: Client): Promise<Brought>;
  /**
   * Input of the inverse change, for operations that the service cannot undo: the same operation, sent as a new change.
   */
  inverse?(change: QueuedChange): QueuedChange["input"];
  /** True for implicit changes, such as marking an opened item as read: no notice, and Undo skips them. */
  quiet?(change: QueuedChange): boolean;
  /** The operation sends no If-Match, or none if only these fields change. */
  unmatched?: true | readonly string[];
  /** If-Match value for a row that the operation creates. */
  absent?: string;
  /** The operation is irreversible, so no Undo is offered. */
  final?: true;
}

export interface Domain {
  operations?: Record<string, Operation<never>>;
  /** Refreshes a row; a missing one is reported as `gone`. */
  read?: { [K in RowKind]?: (api: Client, id: string) => Promise<Brought> };
}

export interface Domains {
  operation(name: string): Operation;
  read(kind: RowKind): ((api: Client, id: string) => Promise<Brought>) | undefined;
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
