// The member's read position in the conversation.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { object } from "../../types.ts";
import { writing } from "./conversation-access.ts";

export const DiscussReadState = object({
  last_read_sequence: Type.Integer({ minimum: 0 }),
  unread_count: Type.Integer({ minimum: 0, maximum: 100, description: "Number of unread answers, up to 100." }),
});

export const advanceDiscussReadState = op(
  "POST /workspaces/{workspace_id}/discuss/read-state",
  "Advance your read position",
  {
    description:
      "The position only advances: an earlier one changes nothing, and one after the last message means " +
      "the last message.",
    ...writing,
    auth: [S],
    body: object({ last_read_sequence: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }),
    example: { last_read_sequence: 4 },
    returns: DiscussReadState,
  },
);
