// Answers a question from the sources: by a model if one is configured and the Workspace permits AI, each sentence with
// its citations; else with sentences from the sources. The question is not stored. Credits are reserved before the
// model call, and settled with the actual usage.
import * as contract from "@svc/contract/knowledge/retrieval/answer.ts";
import { letsAiIn } from "../../accounts/workspaces/access.ts";
import { type EffectsContext, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import type { LanguageModel } from "../../platform/outside/external-systems.ts";
import { ModelError } from "../../platform/outside/model.ts";
import { newId } from "../../platform/wire/ids.ts";
import { questionOf } from "../search/rules.ts";
import { knowledge } from "./access.ts";
import { candidatesOf, chosen, LOOKED_AT } from "./answer-rules.ts";
import { askedOf, citedSentences, creditsOf, INSTRUCTIONS } from "./cited-rules.ts";
import { reserveCredits, settleCredits, unlimitedCredits } from "./credit-store.ts";
import { beside, findPassages, type SourcePassage } from "./store.ts";

const MAY_ASK = `select ${letsAiIn("current_workspace()")} as open, ${unlimitedCredits} as unlimited`;
const MOST_TOKENS = 700;
/**
 * Milliseconds since the request began. The request times out after ten seconds, which must leave time to answer from
 * the sources if the model hangs.
 */
const MOST_MS = 6_000;
/** Typical ratio of language models. */
const CHARACTERS_OF_TOKEN = 3;

export const answerFromKnowledge = implementWithEffects(
  contract.answerFromKnowledge,
  knowledge,
  async (context, { query, target }) => {
    const { read, outside } = context;
    const late = AbortSignal.timeout(MOST_MS);
    const q = questionOf(query.q);
    const passages = await findPassages(read, q, { most: LOOKED_AT, places: target });
    const model = passages.length > 0 ? outside.model : null;
    const said = model && (await modelled(context, model, q, passages, late));
    return said ? answer(said, "model") : answer(await extracted(q, passages), "extractive");
  },
);
const answer = <Sentences extends readonly unknown[]>(sentences: Sentences, mode: "model" | "extractive") => ({
  state: sentences.length > 0 ? ("answered" as const) : ("not_found" as const),
  sentences,
  mode,
});

async function extracted(q: string, passages: readonly SourcePassage[]) {
  const candidates = candidatesOf(passages);
  const [asked, ...said] = candidates.length > 0 ? await beside.embed([q, ...candidates.map(({ text }) => text)]) : [];
  return chosen(q, candidates, asked ? { question: asked, candidates: said as Int8Array[] } : null);
}

/** Returns null if the model may not be called, credits are used up, or it does not answer. */
async function modelled(
  { read, transaction }: EffectsContext,
  model: LanguageModel,
  q: string,
  passages: readonly SourcePassage[],
  signal: AbortSignal,
) {
  const text = askedOf(q, passages);
  const id = newId();
  const credits = creditsOf((INSTRUCTIONS.length + text.length) / CHARACTERS_OF_TOKEN + MOST_TOKENS);
  const { open, unlimited } = await read((tx) => tx.one<{ open: boolean; unlimited: boolean }>(MAY_ASK));
  if (!open) return null;
  if (!unlimited && !(await transaction(({ tx }) => reserveCredits(tx, id, credits)))) return null;
  const settle = async (taken: number) =>
    unlimited ? undefined : transaction(({ tx }) => settleCredits(tx, id, taken));
  try {
    const { end, usage, ...answered } = await model.ask({
      instructions: INSTRUCTIONS,
      said: [{ role: "user", text }],
      tools: [],
      most: MOST_TOKENS,
      signal,
      heard: () => {},
    });
    await settle(creditsOf(usage.input + usage.output));
    return end === "refused" ? null : citedSentences(answered.text, passages);
  } catch (error) {
    await settle(0);
    if (error instanceof ModelError || (error as Error).name === "TimeoutError") return null;
    throw error;
  }
}
