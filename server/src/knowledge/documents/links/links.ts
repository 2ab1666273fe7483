// Links between Documents and other resources: listed from both ends, added and removed.
import * as contract from "@svc/contract/knowledge/documents/links/links.ts";
import { milestone } from "../../../planning/projects/milestone/milestone-access.ts";
import { insideTask } from "../../../planning/tasks/access.ts";
import { settle } from "../../../platform/kernel/context.ts";
import { implement, implementList } from "../../../platform/kernel/implement-operation.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { insideDocument } from "../access.ts";
import { documentAndTarget } from "./access.ts";
import { link, requireLinkable, requireStanding, unlink } from "./change.ts";
import { listLinked, listLinks, readLink } from "./store.ts";

export const listDocumentLinks = implementList(
  contract.listDocumentLinks,
  insideDocument("documents:read"),
  (tx, { params, query, page }) => listLinks(tx, params.document_id, query.kind, page),
);

export const linkDocument = implement(contract.linkDocument, documentAndTarget, async (context, { target }) => {
  const { tx } = context;
  requireStanding(target);
  if (target.origins.includes("manual")) return readLink(tx, target.id, target.to);
  await requireLinkable(context, target);
  const [, made] = await settle([link(context, target), readLink(tx, target.id, target.to)]);
  return made;
});

export const unlinkDocument = implement(contract.unlinkDocument, documentAndTarget, async (context, { target }) => {
  if (!target.origins.includes("manual")) refuse(target.origins.length > 0 ? "named_in_content" : "not_found");
  unlink(context, target);
});

export const listTaskDocuments = implementList(
  contract.listTaskDocuments,
  insideTask("work:read"),
  (tx, { params, page }) => listLinked(tx, "task", params.task_id, page),
);
export const listMilestoneDocuments = implementList(
  contract.listMilestoneDocuments,
  milestone("work:read"),
  (tx, { params, page }) => listLinked(tx, "milestone", params.milestone_id, page),
);
