// Model loop: asks the language model, runs the tools that it calls, and asks it again with their results, until it is
// done. Each request and each tool call is a step. No request is made while it is not allowed.
import { setTimeout as sleep } from "node:timers/promises";
import type { Answered, LanguageModel, ModelMessage, ToolCall } from "../../platform/outside/external-systems.ts";
import { ModelError, type ModelFault } from "../../platform/outside/model.ts";
import type { Tool } from "../tools/tool.ts";
import type { StepJournal } from "./journal.ts";
import { type RunBudgets, RunEnded } from "./rules.ts";

const AGAIN_MS = 500;
const ATTEMPTS = 3;

export interface Talk {
  model: LanguageModel;
  journal: StepJournal;
  budgets: Omit<RunBudgets, "ms">;
  instructions: string;
  /** Messages so far; the question is the last. */
  said: readonly ModelMessage[];
  tools: readonly Tool[];
  signal: AbortSignal;
  /** Checked before each request; throws if no more are allowed. */
  allowed(): Promise<void>;
  use(call: ToolCall): Promise<{ result: string; refused: boolean }>;
  /** Receives the whole text so far. */
  heard?(text: string): void;
}

/** Faults that a retry would meet again. */
const FINAL: ReadonlySet<ModelFault> = new Set<ModelFault>(["rejected", "too_large"]);

export interface Talked {
  text: string;
  /** Whether the model reached the length limit of one answer. */
  isCut: boolean;
}
/** Returns the whole answer. Fails with answer_empty if the model neither wrote nor called anything. */
export async function talk({ model, journal, budgets, signal, heard = () => {}, ...talk }: Talk): Promise<Talked> {
  const said: ModelMessage[] = [...talk.said];
  const texts: string[] = [];
  let [tokens, calls] = [0, 0];
  let isCut = false;

  const ask = async (): Promise<Answered> => {
    await talk.allowed();
    for (let attempt = 1; ; attempt++) {
      const earlier = texts.join("\n\n");
      let text = "";
      try {
        return await model.ask({
          instructions: talk.instructions,
          said,
          tools: talk.tools,
          most: budgets.output,
          signal,
          heard(piece) {
            text += piece;
            heard(earlier === "" ? text : `${earlier}\n\n${text}`);
          },
        });
      } catch (error) {
        // Replaces the partial text of the failed attempt.
        if (!(error instanceof ModelError) || FINAL.has(error.fault) || attempt === ATTEMPTS) throw error;
        heard(earlier);
        await sleep(AGAIN_MS * attempt, null, { signal }).catch(() => {});
        signal.throwIfAborted();
      }
    }
  };

  for (let round = 0; ; round++) {
    if (round === budgets.rounds) throw new RunEnded("steps_exceeded");
    if (tokens > budgets.tokens) throw new RunEnded("tokens_exceeded");
    const { answer } = await journal.step<Answered>("model", { round }, async () => {
      const answer = await ask();
      return { answer, usage: answer.usage };
    });
    tokens += answer.usage.input + answer.usage.output;
    if (answer.text !== "") texts.push(answer.text);
    heard(texts.join("\n\n"));
    if (answer.end === "refused") throw new RunEnded("model_refused");
    isCut = answer.end === "length";
    if (answer.calls.length === 0) break;
    said.push({ role: "assistant", text: answer.text, calls: answer.calls });
    for (const [at, call] of answer.calls.entries()) {
      signal.throwIfAborted();
      if (++calls > budgets.calls) throw new RunEnded("steps_exceeded");
      const used = await talk.use({ ...call, id: `${round}-${at}` });
      said.push({ role: "tool", call, result: used.result, refused: used.refused });
    }
  }
  const text = texts.join("\n\n");
  if (text.trim() === "" && calls === 0) throw new RunEnded("answer_empty");
  return { text, isCut };
}
