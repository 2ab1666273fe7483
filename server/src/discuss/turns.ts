// Turns: queued with what they are about, which is looked at first, and answered in their order. A key is good for ever, and answers its turn as it is now.
import * as contract from "@svc/contract/discuss/turns.ts";
import type { Queries } from "../database/db.ts";
import { type Context, implement } from "../kernel/implement.ts";
import { isAvailable, latestEvidence } from "../native/evidence-store.ts";
import { selectionOf } from "../native/task-store.ts";
import { refuse, refuseAt } from "../wire/problem.ts";
import { talking } from "./access.ts";
import { queueTurn } from "./queue-change.ts";
import type { Metadata } from "./rules.ts";
import { messagesOfTurn } from "./store.ts";
import { type MessageRow, messageView } from "./view.ts";

const turnView = (user: MessageRow, assistant: MessageRow) => ({
  turn_id: user.turn_id,
  user_message: messageView(user),
  assistant_message: messageView(assistant),
});
/** Of the answer only which turn it was is kept with the key. */
const renew = {
  kept: (body: string) => (JSON.parse(body) as { turn_id: string }).turn_id,
  async now(tx: Queries, turnId: string) {
    const [user, assistant] = await messagesOfTurn(tx, turnId);
    return JSON.stringify(user && assistant ? turnView(user, assistant) : refuse("not_found"));
  },
};

async function queued(context: Context, content: string, metadata: Metadata[]) {
  const { user, assistant } = await queueTurn(context, content, metadata);
  return turnView(user, assistant);
}

export const postDiscussMessage = implement(
  contract.postDiscussMessage,
  talking,
  (context, { body: { content } }) => queued(context, content, []),
  renew,
);

async function requirePin(tx: Queries, part: Metadata, at: string) {
  if (part.kind === "task_selection" && !(await selectionOf(tx, part.selection_id)))
    refuseAt(`${at}/selection_id`, "invalid_reference", "must be a selection of yours");
  if (part.kind !== "evidence_collection") return;
  const [latest, available] = await Promise.all([latestEvidence(tx, part.id), isAvailable(tx, part.id, part.version)]);
  if (!latest) return refuseAt(`${at}/id`, "invalid_reference", "must be an evidence collection of yours");
  if (latest.version !== part.version || !available)
    refuse("revision_conflict", {
      current_revision: String(latest.version),
      errors: [{ pointer: `${at}/version`, code: "revision_conflict", detail: "is not what was captured any more" }],
    });
}

export const createDiscussTurn = implement(
  contract.createDiscussTurn,
  talking,
  async (context, { body: { content, metadata = [], file_ids = [] } }) => {
    const twice = metadata.findIndex(({ kind }, at) => metadata.findIndex((other) => other.kind === kind) < at);
    if (twice >= 0) refuseAt(`/body/metadata/${twice}/kind`, "invalid_request", "is there already", "not_allowed");
    if (file_ids.length > 0) refuseAt("/body/file_ids/0", "invalid_reference", "must be a file of yours");
    if (content.trim() === "")
      refuseAt("/body/content", "invalid_request", "is needed where there is no file", "required");
    await Promise.all(metadata.map((part, at) => requirePin(context.tx, part, `/body/metadata/${at}`)));
    return queued(context, content, metadata);
  },
  renew,
);
