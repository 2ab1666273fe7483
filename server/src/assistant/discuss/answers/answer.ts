// Input and result of an answer, with or without a model.
import { derivedId } from "../../runs/rules.ts";
import { wordsFor } from "../language/turn-words.ts";
import type { AnswerPart } from "../rules.ts";
import type { AnswerJournal } from "./answer-journal.ts";
import type { DiscussDependencies } from "./dependencies.ts";
import type { ClaimedDiscussRun } from "./run-store.ts";
import { ask, type DiscussGate, interactionPart } from "./tool-gate.ts";

export interface AnswerRequest {
  kit: DiscussDependencies;
  run: ClaimedDiscussRun;
  journal: AnswerJournal;
  gate: DiscussGate;
  /** Question as the person wrote it. */
  question: string;
  /** Files attached to the question. */
  fileIds: string[];
  signal: AbortSignal;
}
export interface AnswerContent {
  text: string;
  parts: AnswerPart[];
  isCut?: boolean;
}

/** Offers a retry of a run that failed through no fault of its person. */
export async function offerRetry(
  kit: DiscussDependencies,
  run: ClaimedDiscussRun,
  journal: AnswerJournal,
): Promise<AnswerPart[]> {
  const texts = wordsFor(run, "");
  const part = interactionPart(journal.held.id, "retry", "recovery", texts.retryQuestion, [
    { id: "retry", label: texts.retry },
    { id: "leave", label: texts.leave },
  ]);
  await ask(kit, run, journal, part, {});
  return [part];
}

const CODE = /\b[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,8}\b/g;
const MOST = 20;
/** References to the Tasks that a text names, if its reader sees them. */
export async function referencesIn({ gate, journal }: AnswerRequest, text: string): Promise<AnswerPart[]> {
  const codes = [...new Set(text.match(CODE) ?? [])].slice(0, MOST);
  if (codes.length === 0) return [];
  const references = await gate.look(
    { references: codes },
    async (call) => {
      const found = await Promise.all(
        codes.map((code) =>
          call("getTaskByCode", { params: { task_code: code } }).then(
            ({ body }) => [{ kind: "task" as const, id: body.id as string, code: body.code as string }],
            () => [],
          ),
        ),
      );
      return found.flat();
    },
    false,
  );
  const id = journal.held.id;
  return references.length === 0
    ? []
    : [{ kind: "entity_references", part_id: derivedId(id, "references"), references }];
}
