// Access to commands: only the author or, for an Agent's command, the person for whom it acted, whatever their role is
// now. The access rules of the affected resources decide what they may undo.
import { formats } from "@svc/contract/types.ts";
import { QUEUE } from "../../accounts/account/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";
import { type Command, ownCommand, ownCommandByKey } from "./store.ts";

/** Finds a command by its id or by its idempotency key. A key may look like an id. */
async function find(tx: Queries, id: string): Promise<Command | undefined> {
  const [command, keyed] = await Promise.all([
    formats.uuid?.(id) ? ownCommand(tx, id) : undefined,
    ownCommandByKey(tx, id),
  ]);
  return command ?? keyed;
}

export const receipt = (): Access<Command> => ({
  reach: "membership",
  load: (tx, params) => find(tx, params.id as string),
  permits: () => true,
});

/**
 * Loads a command to undo or redo. Callers queue on their own Actor, so that the second sees the first one's result.
 */
export const command = (): Access<Command> => ({
  reach: "membership",
  load: async (tx, params) => (await Promise.all([tx.rows(QUEUE), ownCommand(tx, params.command_id as string)]))[1],
  permits: () => true,
});
/** Loads a command that the body names. */
export const commandNamed = async (tx: Queries, id: string) => (await Promise.all([tx.rows(QUEUE), find(tx, id)]))[1];
