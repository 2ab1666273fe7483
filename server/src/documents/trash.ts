// The trash of Documents, and what is deleted from it for ever.
import * as contract from "@svc/contract/documents/trash.ts";
import { implement } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { documentCapabilities } from "../projects/access.ts";
import { refuse } from "../wire/problem.ts";
import { documentInTree } from "./access.ts";
import * as change from "./change.ts";

export const trashDocument = implement(
  contract.trashDocument,
  documentInTree("documents:write"),
  async (context, { target }) => {
    if (!target.trashed) (await change.trashing(context, target))();
  },
);

export const restoreDocument = implement(
  contract.restoreDocument,
  documentInTree("documents:write"),
  async (context, { target }) => {
    const row = target.trashed ? await (await change.restoring(context, target))() : target;
    return render(row, documentCapabilities(context, { ...target, trashed: false }));
  },
);

export const deleteDocument = implement(
  contract.deleteDocument,
  documentInTree("documents:manage"),
  async (context, { target }) => {
    if (!target.trashed) refuse("document_not_trashed");
    await change.deleteDocument(context, target);
  },
);
