// Appends to a member's conversation: their message with the queued answer, or an answer that follows from their
// decision.
import { settle } from "../../../platform/kernel/context.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { requireSlot, requireTurn } from "../../runs/budget-store.ts";
import type { Metadata, RunInput } from "../rules.ts";
import { insertMessage, insertRun, takePlaces } from "../store.ts";
import type { MessageRow } from "../view.ts";

function newMessage(now: string, turnId: string, sequence: number, of: Partial<MessageRow>): MessageRow {
  return {
    id: newId(),
    turn_id: turnId,
    role: "assistant",
    content: "",
    parts: [],
    file_ids: [],
    run_id: null,
    generation_state: null,
    generation_error: null,
    revision: "1",
    created_at: now,
    updated_at: now,
    sequence: String(sequence),
    ...of,
  };
}

type Here = Pick<Context, "tx" | "defer" | "enqueue" | "principal" | "member" | "runLimits">;
/** `isLimited`: the answer counts against the budget of its person, and is refused if that is used up. */
async function placesFor({ tx, member, runLimits }: Here, count: number, isLimited: boolean) {
  const [taken] = await settle([
    takePlaces(tx, count),
    isLimited ? requireTurn(tx, member.actorId, runLimits) : null,
    isLimited ? requireSlot(tx, member.actorId, runLimits) : null,
  ]);
  return taken;
}
function putAnswer(here: Here, message: MessageRow, change: number, input: RunInput) {
  const { tx, defer, principal, enqueue } = here;
  const run = { id: message.run_id as string, messageId: message.id, sequence: Number(message.sequence), input };
  defer(insertMessage(tx, { row: message, sequence: run.sequence, change }, principal.now));
  defer(insertRun(tx, { ...run, credentialId: principal.credentialId, kind: principal.kind }));
  enqueue("discuss", {});
}

export async function queueTurn(here: Here, content: string, metadata: Metadata[], fileIds: string[]) {
  const { tx, defer, principal } = here;
  const { sequence, change } = await placesFor(here, 2, true);
  const turnId = newId();
  const parts: MessageRow["parts"] =
    metadata.length === 0 ? [] : [{ kind: "context_capsule", part_id: newId(), metadata }];
  const user = newMessage(principal.now, turnId, sequence - 1, { role: "user", content, parts, file_ids: fileIds });
  const answering = { run_id: newId(), generation_state: "queued" as const };
  const assistant = newMessage(principal.now, turnId, sequence, answering);
  defer(insertMessage(tx, { row: user, sequence: sequence - 1, change: change - 1 }, principal.now));
  putAnswer(here, assistant, change, { kind: "turn", metadata });
  return { user, assistant };
}

/**
 * Reserves a place for the answer that follows a decision. An approval is never refused for lack of budget, because its
 * answer calls no model.
 */
export const placeForAnswer = (here: Here, isLimited: boolean) => placesFor(here, 1, isLimited);
/** Queues the answer in the reserved place. */
export function queueAnswer(
  here: Here,
  { sequence, change }: Awaited<ReturnType<typeof placeForAnswer>>,
  turnId: string,
  input: RunInput,
): MessageRow {
  const answering = { run_id: newId(), generation_state: "queued" as const };
  const assistant = newMessage(here.principal.now, turnId, sequence, answering);
  putAnswer(here, assistant, change, input);
  return assistant;
}
