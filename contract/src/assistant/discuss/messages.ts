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
    offset: Type.Integer({ minimum: 0, description: "Bytes of the text in UTF-8." }),
    text: Type.String(),
  },
  {
    description:
      "The whole text as far as it is written. The next snapshot replaces it; the answer's content does in the end.",
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
  { description: "That a tool was used, and nothing of what it was given or gave back." },
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
  receipt_id: { ...nullable(Id), description: "Read it, or undo what was done." },
  action: Type.String({ description: "The tool." }),
  resource_type: Type.Optional(Type.String({ examples: ["task"] })),
  resource_id: Type.Optional({ ...Id, description: "What was changed." }),
  before: { ...nullable(open), description: "The fields that changed, as they were; null of what was created." },
  after: { ...nullable(open), description: "The same fields as they are; null of what was deleted." },
  entity_version: {
    ...nullable(Revision),
    description:
      "The revision that the resource has after it; where the text of a Document changed, its content_revision.",
  },
  actor_id: Id,
  occurred_at: Timestamp,
  risk: Type.Enum(["low", "reviewed"], {
    description: "low: a small change that can be taken back. reviewed: you approved it.",
  }),
  inverse: {
    ...nullable(object({ operation: Type.String(), id: Id })),
    description: "How it is taken back, if all of it is still so.",
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
    description: "What an approval is about: exactly this version.",
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
        Type.String({ description: "The same as kind, as the specification calls it.", examples: ["task"] }),
      ),
      resource_id: Type.Optional(Type.String({ description: "The id of what was changed." })),
      revision: Type.Optional(Revision),
    }),
  ),
});
export const ContextCapsule = object(
  { kind: kind("context_capsule"), ...part, metadata: Type.Array(open, { maxItems: 4 }) },
  { description: "What the turn was given beside its words: identities and versions." },
);
export const SpecialistResult = object(
  {
    kind: kind("specialist_result"),
    ...part,
    specialist_run_id: Id,
    delivery_mode: Type.Enum(["direct", "supporting"], {
      description: "direct: the message is the result. supporting: an answer stands on it.",
    }),
    state: Type.Enum(["completed", "failed"]),
    error_code: nullable(Type.String()),
    author: object({
      actor_id: Id,
      definition_id: Id,
      version: Type.Integer({ minimum: 1 }),
      revision: { ...Revision, description: "Of the Agent." },
      name: Type.String(),
      initiator_actor_id: Id,
      parent_run_id: Id,
    }),
  },
  { description: "What an Agent found that a turn of yours has asked." },
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
  sequence: Type.Integer({ minimum: 1, description: "Its place in the conversation." }),
  turn_id: Id,
  role: Type.Enum(["user", "assistant"]),
  content: { ...Type.String(), description: "Markdown. What an assistant wrote loads nothing from outside." },
  parts: Type.Array(MessagePart, { maxItems: MOST_PARTS }),
  run_id: nullable(Id),
  generation_state: Type.Optional(
    Type.Enum([...generationStates], { description: "Of an answer; a message that nobody generates has none." }),
  ),
  generation_error: {
    ...nullable(object({ code: Type.String({ examples: ["cancelled"] }), detail: Type.String() })),
    description: "Why it failed: cancelled where you stopped it.",
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
      order: Type.Optional(Type.Enum(["asc", "desc"], { description: "desc: newest first, unless you say." })),
    }),
    items: DiscussMessage,
  },
);

export const searchDiscussMessages = list(
  "GET /workspaces/{workspace_id}/discuss/messages/search",
  "Search your messages, newest first",
  {
    description:
      "Those that have every word, in any case. It looks through 2,000 messages for a page, which may therefore " +
      "hold fewer than its limit, also none, while has_more is true.",
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
      "One that waits fails at once, with the code cancelled. One that is being written is asked to stop, " +
      "and fails when it has. One that has ended stays as it is. What was done and has a receipt is not taken back.",
    ...writing,
    returns: SingleDiscussMessage,
  },
);
