// Documents: list, create, read, find by path, change. Operations on their content are in content/.
import * as contract from "@svc/contract/knowledge/documents/documents.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { documentCapabilities } from "../../planning/projects/access.ts";
import {
  type Context,
  implement,
  implementList,
  implementWithEffects,
} from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { type DocumentTarget, document, documentByPath, documentInTree, insideDocument } from "./access.ts";
import { changeDocument, type DocumentChanges, fieldsOf } from "./change.ts";
import { parse } from "./content/parsing.ts";
import { requireReferences } from "./content/references.ts";
import { createIn } from "./creation.ts";
import { listDocuments as list, listChildren, requireOrder } from "./list-store.ts";

export const listDocuments = implementList(
  contract.listDocuments,
  workspace("documents:read"),
  async (tx, { params, query, page }) => {
    requireOrder(query);
    return list(tx, params.workspace_id, query, page);
  },
);

/** Parses the Markdown before anything is written. */
export const createDocument = implementWithEffects(
  contract.createDocument,
  workspace("documents:write"),
  async (context, { body: { markdown, ...body } }) => {
    const { workspaceId } = context.member;
    const forms = markdown
      ? await requireReferences(
          context.read,
          await parse(markdown, workspaceId),
          { over: null, pointer: "/body/markdown" },
          workspaceId,
        )
      : undefined;
    return context.finish((here) => createIn(here, body, forms));
  },
);

const shown = async (context: Context, { target }: { target: DocumentTarget }) =>
  render(target, documentCapabilities(context, target));
export const getDocument = implement(contract.getDocument, document("documents:read"), shown);
export const getDocumentByPath = implement(contract.getDocumentByPath, documentByPath("documents:read"), shown);

export const listDocumentChildren = implementList(
  contract.listDocumentChildren,
  insideDocument("documents:read"),
  (tx, { params, query, page }) => listChildren(tx, params.document_id, query.archived ?? false, page),
);

/** The requested position among the siblings. */
function besideOf(sent: {
  after_document_id?: string | null;
  before_document_id?: string | null;
}): Pick<DocumentChanges, "beside"> {
  const [side, ...others] = (["after", "before"] as const).filter((each) => sent[`${each}_document_id`] !== undefined);
  if (side === undefined) return {};
  if (others.length > 0)
    refuseAt(
      `/body/${side}_document_id`,
      "invalid_request",
      "must be sent alone: only one of after_document_id and before_document_id",
      "not_allowed",
    );
  return { beside: { side, id: sent[`${side}_document_id`] ?? null } };
}

export const updateDocument = implement(
  contract.updateDocument,
  documentInTree("documents:write"),
  async (context, { target, body }) => {
    if (target.trashed) refuse("document_trashed");
    const { after_document_id, before_document_id, archived, ...fields } = body;
    const { archived_at } = fieldsOf(target);
    const archival =
      archived === undefined ? {} : { archived_at: archived ? (archived_at ?? context.principal.now) : null };
    return changeDocument(context, target, { ...fields, ...archival, ...besideOf(body) });
  },
);
