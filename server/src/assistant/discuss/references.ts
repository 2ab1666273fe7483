// Resolves references under the caller's present rights. Neither the question nor the answer is stored.
import * as contract from "@svc/contract/assistant/discuss/references.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { resolve } from "./attachments/reference-store.ts";

export const resolveReferences = implement(
  contract.resolveReferences,
  workspace("work:read"),
  async ({ tx }, { body }) => ({ items: await resolve(tx, body.references) }),
);
