// Turns: a member's message and the answer that the service owes for it. A turn is queued at once and answered in
// order.
import Type from "typebox";
import { Version } from "../../history/captures/private-captures.ts";
import { op } from "../../kit.ts";
import { Id, Language, object, TimeZone } from "../../types.ts";
import { writing } from "./conversation-access.ts";
import { DiscussMessage } from "./messages.ts";

export const MOST_CONTENT = 32_768;
export const MOST_FILES = 5;

export const DiscussTurn = object({
  turn_id: Id,
  user_message: DiscussMessage,
  assistant_message: { ...DiscussMessage, description: "The answer so far." },
});

const kind = <const Kind extends string>(name: Kind) => Type.Enum([name]);
export const TurnMetadata = Type.Union(
  [
    object({ kind: kind("task_selection"), selection_id: Id }),
    object({ kind: kind("turn_preferences"), locale: Type.Optional(Language), timezone: Type.Optional(TimeZone) }),
    object({ kind: kind("evidence_collection"), id: Id, version: Version }),
    object({
      kind: kind("search_result"),
      query: {
        ...Type.String({ minLength: 1, maxLength: 400 }),
        description: "Search, with `q` as in a search without filters, or as in a Knowledge search.",
      },
      result_version: {
        ...Type.String({ minLength: 64, maxLength: 64, pattern: "^[0-9a-f]{64}$" }),
        description: "Version of that Knowledge search, or of the first page of that search with the default limit.",
      },
    }),
  ],
  { description: "Context of the turn, beside its words; each kind once." },
);
const Content = (minLength: number, format: "text" | "body") =>
  Type.String({ minLength, maxLength: MOST_CONTENT, format, description: "Markdown." });

const queueing = {
  ...writing,
  idempotencyKey: "required",
  status: 202,
  returns: DiscussTurn,
  errors: ["turns_exceeded", "runs_exceeded", "discuss_not_included"],
} as const;
const BUDGET =
  " The operator limits the turns of a person within an hour, and the runs that a person and a Workspace have at " +
  "once: 429 with Retry-After.";
const KEY = "A key that was used before returns its turn in its current state, however long ago that was.";

export const postDiscussMessage = op("POST /workspaces/{workspace_id}/discuss/messages", "Send a message", {
  description: `Queues your message and its answer, and does not wait for the answer. ${KEY}${BUDGET}`,
  ...queueing,
  body: object({ content: Content(1, "body") }),
  example: { content: "What is overdue?" },
});

export const createDiscussTurn = op("POST /workspaces/{workspace_id}/discuss/turns", "Start a turn", {
  description:
    `Sends a message with its context. ${KEY} Pinned context is checked first: evidence that has ` +
    "changed or cannot be read, and a search with another result, are refused with 409 " +
    "revision_conflict; a selection or evidence that is not yours with 404 not_found. Files must be " +
    "your private ones, at most 20 MiB together; a file that the scanner has not passed is refused " +
    `with 409 file_not_clean. Empty content needs a file.${BUDGET}`,
  ...queueing,
  body: object({
    content: Content(0, "text"),
    metadata: Type.Optional(Type.Array(TurnMetadata, { maxItems: 4 })),
    file_ids: Type.Optional(Type.Array(Id, { maxItems: MOST_FILES, uniqueItems: true })),
  }),
  example: {
    content: "Summarise ENG-1",
    metadata: [{ kind: "turn_preferences", locale: "de", timezone: "Europe/Berlin" }],
    file_ids: [],
  },
  errors: [...queueing.errors, "revision_conflict", "invalid_reference", "file_not_clean"],
});
