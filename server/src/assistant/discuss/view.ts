// Wire view of a message. generation_state is absent if the message is not generated.
import type { DiscussMessage } from "@svc/contract/assistant/discuss/messages.ts";
import type { Static } from "typebox";
import { type AnswerPart, failures } from "./rules.ts";

export interface MessageRow {
  id: string;
  sequence: string;
  turn_id: string;
  role: "user" | "assistant";
  content: string;
  parts: AnswerPart[];
  file_ids: string[];
  run_id: string | null;
  generation_state: "queued" | "running" | "cancel_requested" | "completed" | "failed" | null;
  generation_error: string | null;
  revision: string;
  created_at: string;
  updated_at: string;
}
/** Columns of a message m. */
export const messageColumns = `m.id, m.sequence::text, m.turn_id, m.role, m.content, m.parts,
  m.file_ids::text[] as file_ids, m.run_id, m.generation_state,
  m.generation_error, m.revision::text, wire_time(m.created_at) as created_at, wire_time(m.updated_at) as updated_at`;

export function messageView(row: MessageRow): Static<typeof DiscussMessage> {
  const { generation_state, generation_error: code, sequence, ...rest } = row;
  return {
    ...rest,
    sequence: Number(sequence),
    ...(generation_state !== null && { generation_state }),
    generation_error: code === null ? null : { code, detail: failures[code] ?? failures.internal ?? "" },
  };
}
