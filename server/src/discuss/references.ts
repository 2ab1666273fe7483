// Resolves references to the work under what the caller may see at this moment. Nothing is kept, neither the question nor the answer.
import * as contract from "@svc/contract/discuss/references.ts";
import { implement } from "../kernel/implement.ts";
import { workspace } from "../workspaces/access.ts";
import { resolve } from "./reference-store.ts";

export const resolveReferences = implement(
  contract.resolveReferences,
  workspace("work:read"),
  async ({ tx }, { body }) => ({ items: await resolve(tx, body.references) }),
);
