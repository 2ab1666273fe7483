// Events of a member's conversation, in their own sequence.
import Type from "typebox";
import { op } from "../../kit.ts";
import { Id, object, Revision } from "../../types.ts";
import { reading } from "./conversation-access.ts";

export const MOST_EVENTS = 100;
export const DiscussEvent = object({
  sequence: Type.Integer({ minimum: 1 }),
  message_id: Id,
  action: Type.Enum(["created", "changed"]),
  revision: Revision,
});

export const listDiscussEvents = op(
  "GET /workspaces/{workspace_id}/discuss/events",
  "Replay changes of your messages",
  {
    description:
      `Returns up to ${MOST_EVENTS} changes after \`after\`, in order. Each message appears at its ` +
      "latest change, so that a client that reads on misses nothing and reads nothing twice.",
    ...reading,
    query: object({ after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })) }),
    returns: object({
      items: Type.Array(DiscussEvent, { maxItems: MOST_EVENTS }),
      sequence: Type.Integer({ minimum: 0, description: "Sequence of the last change here, or the requested one." }),
      has_more: Type.Boolean(),
    }),
  },
);
