// Only its member reaches a conversation; an owner of the Workspace does not.

import { letsAiIn } from "../../accounts/workspaces/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";
import { messageOf } from "./store.ts";
import type { MessageRow } from "./view.ts";

export const ownMessage: Access<MessageRow> = {
  reach: "membership",
  load: (tx, { message_id }) => messageOf(tx, message_id as string),
  permits: () => true,
};

const TALKING = `select ${letsAiIn("current_workspace()")} as open,
  entitled(current_workspace(), 'discuss') as included`;
interface Talking {
  open: boolean;
  included: boolean;
}
/** The Workspace, for reading whether the caller may use the assistant. */
export const asking: Access<Talking> = {
  reach: "membership",
  load: (tx: Queries) => tx.one<Talking>(TALKING),
  permits: () => true,
};
/** The same, and the plan must include the assistant. */
export const talking: Access<Talking> = {
  ...asking,
  permits: (_context, { included }) => included || "discuss_not_included",
};
