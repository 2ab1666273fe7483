// The choices of a picker while somebody types. Each kind is one bounded index lookup; all lookups run in parallel, and
// their best results alternate.
import * as contract from "@svc/contract/knowledge/search/reference-options.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { inTurn, typedOf } from "./option-rules.ts";
import { lookups } from "./option-store.ts";

const KINDS = contract.referenceKinds;

export const listReferenceOptions = implement(
  contract.listReferenceOptions,
  workspace("work:read"),
  async ({ tx }, { query }) => {
    const { kinds = KINDS.join(","), limit = 20 } = query;
    const typed = typedOf(query.q ?? "");
    const wanted = KINDS.filter((kind) => kinds.split(",").includes(kind));
    const found = await Promise.all(wanted.map((kind) => lookups[kind](tx, typed, limit)));
    return { items: inTurn(found, typed.text, limit) };
  },
);
