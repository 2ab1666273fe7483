// Documents for the command line.
import * as contract from "@svc/contract/surfaces/cli/documents.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { documentByPathAs } from "../../knowledge/documents/access.ts";
import { documentCapabilities } from "../../planning/projects/access.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { requireProject } from "./access.ts";
import { listDocuments } from "./document-store.ts";
import { keyOfProject } from "./rules.ts";
import { cliDocumentView } from "./view.ts";

export const listCliDocuments = implementList(
  contract.listCliDocuments,
  workspace("documents:read"),
  async (tx, { query, page }) => {
    const projectKey = query.project_code && keyOfProject(query.project_code);
    const [, found] = await Promise.all([requireProject(tx, projectKey), listDocuments(tx, projectKey, page)]);
    return found;
  },
);

export const getCliDocument = implement(
  contract.getCliDocument,
  documentByPathAs("documents:read", cliDocumentView),
  async (context, { target }) => render(target, documentCapabilities(context, target)),
);
