// Who reaches a command: its author, and of an Agent's the person for whom it acted; nobody else, whatever their role is now. What they may still do to its effects is asked of these.
import { formats } from "@svc/contract/types.ts";
import { QUEUE } from "../../accounts/account/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Access } from "../../platform/kernel/implement.ts";
import { type Command, ownCommand, ownCommandByKey } from "./store.ts";

/** By its id, or by the key that it was sent with. A key may look like an id. */
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

/** To be undone or redone: whoever does so queues on its own Actor, and the second sees what the first has done. */
export const command = (): Access<Command> => ({
  reach: "membership",
  load: async (tx, params) => (await Promise.all([tx.rows(QUEUE), ownCommand(tx, params.command_id as string)]))[1],
  permits: () => true,
});
/** The same, named in the body. */
export const commandNamed = async (tx: Queries, id: string) => (await Promise.all([tx.rows(QUEUE), find(tx, id)]))[1];
