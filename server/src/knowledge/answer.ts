// An answer made of sentences that stand in the sources. No model writes anything; the question is kept nowhere.
import * as contract from "@svc/contract/knowledge/answer.ts";
import { implementWithEffects } from "../kernel/implement.ts";
import { questionOf } from "../search/rules.ts";
import { knowledge } from "./access.ts";
import { candidatesOf, chosen, LOOKED_AT } from "./answer-rules.ts";
import { beside, findPassages } from "./store.ts";

export const answerFromKnowledge = implementWithEffects(
  contract.answerFromKnowledge,
  knowledge,
  async ({ read }, { query, target }) => {
    const q = questionOf(query.q);
    const candidates = candidatesOf(await findPassages(read, q, { most: LOOKED_AT, places: target }));
    const [asked, ...said] =
      candidates.length > 0 ? await beside.embed([q, ...candidates.map(({ text }) => text)]) : [];
    const vectors = asked ? { question: asked, candidates: said as Int8Array[] } : null;
    const sentences = chosen(q, candidates, vectors);
    // Nothing else writes an answer yet.
    return { state: sentences.length > 0 ? "answered" : "not_found", sentences, mode: "extractive" } as const;
  },
);
