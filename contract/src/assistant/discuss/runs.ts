// Events of the run that produced an answer, limited to what its reader may see.
import Type from "typebox";
import { op } from "../../kit.ts";
import { Id, nullable, object, Timestamp } from "../../types.ts";
import { reading } from "./conversation-access.ts";

export const MOST_RUN_EVENTS = 200;
const Kind = Type.Enum(["started", "resumed", "tool_started", "tool_ended", "interaction", "completed", "failed"]);
export const RunEvent = object({
  sequence: Type.Integer({ minimum: 1 }),
  kind: Kind,
  type: { ...Kind, description: "Same as kind." },
  part_id: nullable(Id),
  data: Type.Unsafe<Record<string, unknown>>({
    type: "object",
    description: "Name of a tool, its outcome, or the code of a failure; no argument, result or prompt.",
  }),
  created_at: Timestamp,
});

export const listDiscussRunEvents = op(
  "GET /workspaces/{workspace_id}/discuss/messages/{message_id}/run-events",
  "List the run events of an answer",
  {
    description:
      `Lists at most ${MOST_RUN_EVENTS} events in order, after \`after\` if it is sent. A message that ` +
      "is not generated has none.",
    ...reading,
    query: object({ after: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })) }),
    returns: object({ items: Type.Array(RunEvent, { maxItems: MOST_RUN_EVENTS }) }),
  },
);
