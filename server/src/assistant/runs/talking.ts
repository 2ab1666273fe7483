// How a language model is talked with: it is asked, what it wants to use is used, and it is asked again with what came of it, until it has said all. Each question
// and each use is a step. Nothing is asked of it while it is not allowed.
import { setTimeout as sleep } from "node:timers/promises";
import { ModelError, type ModelFault } from "../../platform/outside/model.ts";
import type { Answered, Model, Said, ToolCall } from "../../platform/outside/outside.ts";
import type { Tool } from "../tools/tool.ts";
import type { Journal } from "./journal.ts";
import { type Budgets, RunEnded } from "./rules.ts";

const AGAIN_MS = 500;
const ATTEMPTS = 3;

export interface Talk {
  model: Model;
  journal: Journal;
  budgets: Omit<Budgets, "ms">;
  instructions: string;
  /** What was said so far, the question last. */
  said: readonly Said[];
  tools: readonly Tool[];
  signal: AbortSignal;
  /** Asked before each question; throws where nothing more may be asked. */
  allowed(): Promise<void>;
  use(call: ToolCall): Promise<{ result: string; refused: boolean }>;
  /** The text so far, whole. */
  heard?(text: string): void;
}

/** Faults that another attempt would meet again. */
const FINAL: ReadonlySet<ModelFault> = new Set<ModelFault>(["rejected", "too_large"]);

export interface Talked {
  text: string;
  /** The model reached the length limit of one answer. */
  isCut: boolean;
}
/** The whole answer. Fails with answer_empty where the model neither wrote nor called anything. */
export async function talk({ model, journal, budgets, signal, heard = () => {}, ...talk }: Talk): Promise<Talked> {
  const said: Said[] = [...talk.said];
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
          ...{ instructions: talk.instructions, said, tools: talk.tools, most: budgets.output, signal },
          heard(piece) {
            text += piece;
            heard(earlier === "" ? text : `${earlier}\n\n${text}`);
          },
        });
      } catch (error) {
        // What it had begun to say is replaced, and not added to.
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
