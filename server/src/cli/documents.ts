// Documents on the command line.
import * as contract from "@svc/contract/cli/documents.ts";
import { documentByPathAs } from "../documents/access.ts";
import { implement, implementList } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { documentCapabilities } from "../projects/access.ts";
import { workspace } from "../workspaces/access.ts";
import { listDocuments } from "./document-store.ts";
import { keyOfProject } from "./rules.ts";
import { cliDocumentView } from "./view.ts";

export const listCliDocuments = implementList(
  contract.listCliDocuments,
  workspace("documents:read"),
  (tx, { query, page }) => listDocuments(tx, query.project_code && keyOfProject(query.project_code), page),
);

export const getCliDocument = implement(
  contract.getCliDocument,
  documentByPathAs("documents:read", cliDocumentView),
  async (context, { target }) => render(target, documentCapabilities(context, target)),
);
