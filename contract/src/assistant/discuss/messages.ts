// The messages of a member's private conversation, with what an answer is made of.
import Type from "typebox";
import { list, op } from "../../kit.ts";
import { Id, nullable, object, Revision, resource, single, Timestamp } from "../../types.ts";
import { reading, writing } from "./conversation-access.ts";

export const MOST_PARTS = 20;
export const MOST_REFERENCES = 20;

const part = { part_id: Id };
const kind = <const Kind extends string>(name: Kind) => Type.Enum([name]);
export const RuntimeText = object(
  {
    kind: kind("runtime_text"),
    ...part,
    run_id: Id,
    step_id: Type.Integer({ minimum: 0 }),
    generation: Type.Integer({ minimum: 1 }),
    revision: Revision,
    producer_fence: Type.Integer({ minimum: 1 }),
    producer_sequence: Type.Integer({ minimum: 1 }),
    offset: Type.Integer({ minimum: 0, description: "Offset in bytes of the text in UTF-8." }),
    text: Type.String(),
  },
  {
    description: "The whole text so far. The next snapshot replaces it; in the end, the answer's content does.",
  },
);
export const ToolActivity = object(
  {
    kind: kind("tool_activity"),
    ...part,
    tool_call_id: Type.String(),
    tool: Type.String(),
    state: Type.Enum(["running", "completed", "refused"]),
  },
  { description: "Record of a tool call, without its arguments or result." },
);
export const EntityReferences = object({
  kind: kind("entity_references"),
  ...part,
  references: Type.Array(object({ kind: Type.Enum(["project", "task"]), id: Id, code: Type.String() }), {
    maxItems: MOST_REFERENCES,
  }),
});
export const TaskResult = object({
  kind: kind("task_result"),
  ...part,
  task_id: Id,
  task_code: Type.String(),
  title: Type.String(),
  observed_revision: Revision,
  reason: Type.String(),
});
const open = Type.Unsafe<Record<string, unknown>>({ type: "object" });
export const ActionResult = object({
  kind: kind("action_result"),
  ...part,
  action_id: Id,
  receipt_id: { ...nullable(Id), description: "Receipt of the change, to read it or undo it." },
  action: Type.String({ description: "Tool of the change." }),
  resource_type: Type.Optional(Type.String({ examples: ["task"] })),
  resource_id: Type.Optional({ ...Id, description: "Id of the changed resource." }),
  before: { ...nullable(open), description: "Changed fields with their former values; null for a new resource." },
  after: { ...nullable(open), description: "The same fields with their new values; null for a deletion." },
  entity_version: {
    ...nullable(Revision),
    description: "Revision of the resource after the change; for the content of a Document, its content_revision.",
  },
  actor_id: Id,
  occurred_at: Timestamp,
  risk: Type.Enum(["low", "reviewed"], {
    description: "low: a small change that can be undone. reviewed: you approved it.",
  }),
  inverse: {
    ...nullable(object({ operation: Type.String(), id: Id })),
    description: "How to undo it, if its results have not changed since.",
  },
});
export const InteractionPart = object({
  kind: kind("interaction"),
  ...part,
  interaction_id: Id,
  interaction_kind: Type.Enum(["approval", "ambiguity", "stale_action", "recovery"]),
  version: Type.Integer({ minimum: 1 }),
  state: Type.Enum(["open", "decided", "expired", "stale"]),
  question: Type.String(),
  choices: Type.Array(object({ id: Type.String(), label: Type.String() })),
  change_set: {
    ...nullable(object({ id: Id, version: Type.Integer(), digest: Type.String() })),
    description: "Exact ChangeSet version that the approval concerns.",
  },
  expires_at: Timestamp,
});
export const OperationReceipts = object({
  kind: kind("operation_receipts"),
  ...part,
  receipts: Type.Array(
    object({
      operation_id: Id,
      tool: Type.String(),
      state: Type.Enum(["succeeded"]),
      kind: Type.Optional(Type.String({ examples: ["task"] })),
      resource_type: Type.Optional(
        Type.String({ description: "Same as kind, under the name of the specification.", examples: ["task"] }),
      ),
      resource_id: Type.Optional(Type.String({ description: "Id of the changed resource." })),
      revision: Type.Optional(Revision),
    }),
  ),
});
export const ContextCapsule = object(
  { kind: kind("context_capsule"), ...part, metadata: Type.Array(open, { maxItems: 4 }) },
  { description: "Context of the turn beside its words: ids and versions." },
);
export const SpecialistResult = object(
  {
    kind: kind("specialist_result"),
    ...part,
    specialist_run_id: Id,
    delivery_mode: Type.Enum(["direct", "supporting"], {
      description: "direct: the message is the result. supporting: an answer is based on it.",
    }),
    state: Type.Enum(["completed", "failed"]),
    error_code: nullable(Type.String()),
    author: object({
      actor_id: Id,
      definition_id: Id,
      version: Type.Integer({ minimum: 1 }),
      revision: { ...Revision, description: "Revision of the Agent." },
      name: Type.String(),
      initiator_actor_id: Id,
      parent_run_id: Id,
    }),
  },
  { description: "Result of an Agent that your turn has asked." },
);
export const MessagePart = Type.Union([
  SpecialistResult,
  RuntimeText,
  ToolActivity,
  EntityReferences,
  TaskResult,
  ActionResult,
  InteractionPart,
  OperationReceipts,
  ContextCapsule,
]);

export const generationStates = ["queued", "running", "cancel_requested", "completed", "failed"] as const;
export const DiscussMessage = object({
  ...resource,
  sequence: Type.Integer({ minimum: 1, description: "Position in the conversation." }),
  turn_id: Id,
  role: Type.Enum(["user", "assistant"]),
  content: { ...Type.String(), description: "Markdown. Text of an assistant loads no external content." },
  parts: Type.Array(MessagePart, { maxItems: MOST_PARTS }),
  run_id: nullable(Id),
  generation_state: Type.Optional(
    Type.Enum([...generationStates], { description: "State of an answer; a message that is not generated has none." }),
  ),
  generation_error: {
    ...nullable(object({ code: Type.String({ examples: ["cancelled"] }), detail: Type.String() })),
    description: "Reason of the failure: cancelled if you stopped it.",
  },
  file_ids: Type.Array(Id, { maxItems: 5 }),
});
export const SingleDiscussMessage = single(DiscussMessage);

export const listDiscussMessages = list(
  "GET /workspaces/{workspace_id}/discuss/messages",
  "List your messages, newest first",
  {
    ...reading,
    query: object({
      order: Type.Optional(Type.Enum(["asc", "desc"], { description: "desc by default: newest first." })),
    }),
    items: DiscussMessage,
  },
);

export const searchDiscussMessages = list(
  "GET /workspaces/{workspace_id}/discuss/messages/search",
  "Search your messages, newest first",
  {
    description:
      "Finds messages with every word, regardless of case. A page scans at most 2,000 messages and may " +
      "therefore hold fewer items than its limit, even none, while has_more is true.",
    ...reading,
    query: object({ q: Type.String({ minLength: 1, maxLength: 200, format: "title", examples: ["brass"] }) }),
    items: DiscussMessage,
  },
);

export const getDiscussMessage = op("GET /workspaces/{workspace_id}/discuss/messages/{message_id}", "Read a message", {
  ...reading,
  returns: SingleDiscussMessage,
});

export const cancelDiscussMessage = op(
  "POST /workspaces/{workspace_id}/discuss/messages/{message_id}/cancel",
  "Stop an answer",
  {
    description:
      "A waiting answer fails at once, with the code cancelled. A running answer is asked to stop, and " +
      "fails once it has. An answer that has ended does not change. Changes with a receipt are not " +
      "undone.",
    ...writing,
    returns: SingleDiscussMessage,
  },
);
