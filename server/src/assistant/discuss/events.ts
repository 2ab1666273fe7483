// Replays changes of a member's messages in order.
import * as contract from "@svc/contract/assistant/discuss/events.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { changesAfter } from "./store.ts";

export const listDiscussEvents = implement(
  contract.listDiscussEvents,
  workspace("workspace:read"),
  async ({ tx, member }, { query: { after = 0 } }) => {
    const found = await changesAfter(tx, member.actorId, after, contract.MOST_EVENTS + 1);
    const items = found.slice(0, contract.MOST_EVENTS).map(({ id, sequence, revision, created }) => ({
      sequence: Number(sequence),
      message_id: id,
      action: created ? ("created" as const) : ("changed" as const),
      revision,
    }));
    return { items, sequence: items.at(-1)?.sequence ?? after, has_more: found.length > items.length };
  },
);
