// Turns: validated with their metadata, queued, and answered in order. A turn's idempotency key never expires, and
// returns the turn in its present state.
import { MOST_FILE_BYTES } from "@svc/contract/assistant/discuss/files.ts";
import * as contract from "@svc/contract/assistant/discuss/turns.ts";
import { PAGE } from "@svc/contract/kit.ts";
import { latestEvidence, stateOfEvidence } from "../../history/captures/evidence-store.ts";
import { selectionOf } from "../../history/captures/task-store.ts";
import { findPassages } from "../../knowledge/retrieval/store.ts";
import { questionOf } from "../../knowledge/search/rules.ts";
import { findMatches } from "../../knowledge/search/store.ts";
import { isKnowledgeVersion, shownOf, versionOf } from "../../knowledge/search/view.ts";
import { isGiven } from "../../planning/attachments/rules.ts";
import type { Queries } from "../../platform/database/db.ts";
import {
  type Context,
  type EffectsContext,
  implement,
  implementWithEffects,
} from "../../platform/kernel/implement-operation.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { talking } from "./access.ts";
import { queueTurn } from "./answers/queue-change.ts";
import { filesOf } from "./attachments/file-store.ts";
import type { Metadata } from "./rules.ts";
import { messagesOfTurn } from "./store.ts";
import { type MessageRow, messageView } from "./view.ts";

const turnView = (user: MessageRow, assistant: MessageRow) => ({
  turn_id: user.turn_id,
  user_message: messageView(user),
  assistant_message: messageView(assistant),
});
/** Stores only the id of the turn with the idempotency key. */
const renew = {
  kept: (body: string) => (JSON.parse(body) as { turn_id: string }).turn_id,
  async now(tx: Queries, turnId: string) {
    const [user, assistant] = await messagesOfTurn(tx, turnId);
    return JSON.stringify(user && assistant ? turnView(user, assistant) : refuse("not_found"));
  },
};

async function queued(context: Context, content: string, metadata: Metadata[] = [], fileIds: string[] = []) {
  const { user, assistant } = await queueTurn(context, content, metadata, fileIds);
  return turnView(user, assistant);
}

export const postDiscussMessage = implement(
  contract.postDiscussMessage,
  talking,
  (context, { body: { content } }) => queued(context, content),
  renew,
);

const stale = (current: string, pointer: string, detail: string) =>
  refuse("revision_conflict", {
    current_revision: current,
    errors: [{ pointer, code: "revision_conflict", detail }],
  });
/** First page of a search without a limit of its own. */
const FIRST_PAGE = { after: null, limit: PAGE };

const AT = "/body/metadata";
function requireVersion(version: string, part: Extract<Metadata, { kind: "search_result" }>, at: string) {
  if (version !== part.result_version) stale(version, `${at}/result_version`, "is not what is found now");
}
/** Runs outside the transaction: a Knowledge search waits for its thread. */
async function requireKnowledge({ read }: EffectsContext, metadata: readonly Metadata[]) {
  for (const [index, part] of metadata.entries())
    if (part.kind === "search_result" && isKnowledgeVersion(part.result_version))
      requireVersion(versionOf("knowledge", await findPassages(read, questionOf(part.query))), part, `${AT}/${index}`);
}
async function requirePin(tx: Queries, part: Metadata, at: string) {
  if (part.kind === "search_result" && !isKnowledgeVersion(part.result_version)) {
    const found = await findMatches(tx, { q: questionOf(part.query) }, FIRST_PAGE);
    requireVersion(shownOf(found, FIRST_PAGE.limit).version, part, at);
  }
  if (part.kind === "task_selection" && !(await selectionOf(tx, part.selection_id)))
    refuseAt(`${at}/selection_id`, "not_found", "must be a selection of yours");
  if (part.kind !== "evidence_collection") return;
  const [latest, state] = await Promise.all([latestEvidence(tx, part.id), stateOfEvidence(tx, part.id, part.version)]);
  if (!latest) return refuseAt(`${at}/id`, "not_found", "must be an evidence collection of yours");
  if (latest.version !== part.version || state !== "current")
    stale(String(latest.version), `${at}/version`, "is not what was captured any more");
}

async function requireFiles(tx: Queries, ids: readonly string[]) {
  if (ids.length === 0) return;
  const files = await filesOf(tx, ids);
  const found = new Set(files.map(({ id }) => id));
  const missing = ids.findIndex((id) => !found.has(id));
  if (missing >= 0) refuseAt(`/body/file_ids/${missing}`, "invalid_reference", "must be a file of yours");
  if (files.reduce((sum, { size }) => sum + size, 0) > MOST_FILE_BYTES)
    refuseAt("/body/file_ids", "invalid_request", "must have at most 20 MiB together", "too_large");
  if (!files.every(({ scan_state }) => isGiven(scan_state))) refuse("file_not_clean");
}

export const createDiscussTurn = implementWithEffects(
  contract.createDiscussTurn,
  talking,
  async (context, { body: { content, metadata = [], file_ids = [] } }) => {
    const twice = metadata.findIndex(({ kind }, at) => metadata.findIndex((other) => other.kind === kind) < at);
    if (twice >= 0) refuseAt(`${AT}/${twice}/kind`, "invalid_request", "is there already", "not_allowed");
    if (content.trim() === "" && file_ids.length === 0)
      refuseAt("/body/content", "invalid_request", "is needed where there is no file", "required");
    await requireKnowledge(context, metadata);
    return context.finish(async (inside) => {
      await Promise.all([
        requireFiles(inside.tx, file_ids),
        ...metadata.map((part, at) => requirePin(inside.tx, part, `${AT}/${at}`)),
      ]);
      return queued(inside, content, metadata, file_ids);
    });
  },
  renew,
);
