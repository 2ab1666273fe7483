// The trash of Documents, and permanent deletion from it.
import * as contract from "@svc/contract/knowledge/documents/trash.ts";
import { documentCapabilities } from "../../planning/projects/access.ts";
import { type Context, implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { type DocumentTarget, documentInTree } from "./access.ts";
import * as change from "./change.ts";
import { type CurrentDocumentPlace, extentOf, standing } from "./store.ts";

/** The Document is locked, so it exists. */
const found = async ({ tx }: Context, { id }: DocumentTarget) => (await standing(tx, id)) as CurrentDocumentPlace;

export const trashDocument = implement(
  contract.trashDocument,
  documentInTree("documents:write"),
  async (context, { target }) => {
    if (!target.trashed) change.trashDocument(context, target, await extentOf(context.tx, target.id))();
  },
);

export const restoreDocument = implement(
  contract.restoreDocument,
  documentInTree("documents:write"),
  async (context, { target }) => {
    const row = target.trashed ? await change.restoreDocument(context, target, await found(context, target))() : target;
    return render(row, documentCapabilities(context, { ...target, trashed: false }));
  },
);

export const deleteDocument = implement(
  contract.deleteDocument,
  documentInTree("documents:manage"),
  async (context, { target }) => {
    if (!target.trashed) refuse("document_not_trashed");
    await change.deleteDocument(context, target, await found(context, target));
  },
);
