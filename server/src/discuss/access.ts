// Who reaches a conversation: whose it is, and nobody else; an owner of the Workspace neither.
import type { Queries } from "../database/db.ts";
import type { Access } from "../kernel/implement.ts";
import { letsAiIn } from "../workspaces/access.ts";
import { messageOf } from "./store.ts";
import type { MessageRow } from "./view.ts";

export const ownMessage: Access<MessageRow> = {
  reach: "membership",
  load: (tx, { message_id }) => messageOf(tx, message_id as string),
  permits: () => true,
};

const LETS_AI_IN = `select ${letsAiIn("current_workspace()")} as open`;
/** The Workspace as one in which somebody talks to the assistant. */
export const talking: Access<{ open: boolean }> = {
  reach: "membership",
  load: (tx: Queries) => tx.one<{ open: boolean }>(LETS_AI_IN),
  permits: () => true,
};
