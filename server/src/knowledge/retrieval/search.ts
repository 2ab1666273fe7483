// Passages about a question, among those that the caller sees.
import * as contract from "@svc/contract/knowledge/retrieval/search.ts";
import { implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { questionOf } from "../search/rules.ts";
import { versionOf } from "../search/view.ts";
import { knowledge } from "./access.ts";
import { findPassages } from "./store.ts";

export const searchKnowledge = implementWithEffects(
  contract.searchKnowledge,
  knowledge,
  async ({ read }, { query, target }) => {
    const items = await findPassages(read, questionOf(query.q), { places: target });
    return { items, result_version: versionOf("knowledge", items) };
  },
);
