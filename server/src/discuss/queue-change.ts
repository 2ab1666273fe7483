// How something is put at the end of a member's conversation: what they said with the answer to come, or an answer that goes on from a decision of theirs.
import { MOST_QUEUED } from "@svc/contract/discuss/turns.ts";
import type { Context } from "../kernel/implement.ts";
import { newId } from "../wire/ids.ts";
import { refuse } from "../wire/problem.ts";
import type { Metadata, RunInput } from "./rules.ts";
import { insertMessage, insertRun, takePlaces } from "./store.ts";
import type { MessageRow } from "./view.ts";

function newMessage(now: string, turnId: string, sequence: number, of: Partial<MessageRow>): MessageRow {
  return {
    ...{ id: newId(), turn_id: turnId, role: "assistant", content: "", parts: [], file_ids: [], run_id: null },
    ...{ generation_state: null, generation_error: null, revision: "1", created_at: now, updated_at: now },
    sequence: String(sequence),
    ...of,
  };
}

type Here = Pick<Context, "tx" | "defer" | "enqueue" | "principal">;
async function placesFor({ tx }: Here, count: number) {
  const taken = await takePlaces(tx, count, MOST_QUEUED);
  if (taken.waiting >= MOST_QUEUED) refuse("too_many_queued");
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
  const { sequence, change } = await placesFor(here, 2);
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

/** A place for the answer that goes on from a decision. */
export const placeForAnswer = (here: Here) => placesFor(here, 1);
/** The answer itself. */
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
