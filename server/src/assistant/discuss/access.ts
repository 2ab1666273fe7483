// Who reaches a conversation: whose it is, and nobody else; an owner of the Workspace neither.

import { letsAiIn } from "../../accounts/workspaces/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Access } from "../../platform/kernel/implement.ts";
import { messageOf } from "./store.ts";
import type { MessageRow } from "./view.ts";

export const ownMessage: Access<MessageRow> = {
  reach: "membership",
  load: (tx, { message_id }) => messageOf(tx, message_id as string),
  permits: () => true,
};

const TALKING = `select ${letsAiIn("current_workspace()")} as open, entitled(current_workspace(), 'discuss') as included`;
interface Talking {
  open: boolean;
  included: boolean;
}
/** The Workspace as one in which somebody may talk to the assistant. */
export const asking: Access<Talking> = {
  reach: "membership",
  load: (tx: Queries) => tx.one<Talking>(TALKING),
  permits: () => true,
};
/** And does. */
export const talking: Access<Talking> = {
  ...asking,
  permits: (_context, { included }) => included || "discuss_not_included",
};
