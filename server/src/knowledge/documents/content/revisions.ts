// Content revisions of a Document: listed, read, restored as a new one, and compared in a worker thread.
import * as contract from "@svc/contract/knowledge/documents/content/revisions.ts";
import { implement, implementList, implementWithEffects } from "../../../platform/kernel/implement-operation.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { insideDocument } from "../access.ts";
import { content, documentRevision, readContent } from "./access.ts";
import { compare } from "./parsing.ts";
import * as store from "./store.ts";

export const listDocumentRevisions = implementList(
  contract.listDocumentRevisions,
  insideDocument("documents:read"),
  (tx, { params, page }) =>
    store.listRevisions(tx, params.document_id, (page.after?.[0] as string | undefined) ?? null, page.limit + 1),
);

export const getDocumentRevision = implement(
  contract.getDocumentRevision,
  documentRevision("documents:read"),
  async (_context, { target: { json, revision } }) => ({ json, revision }),
);

export const restoreDocumentRevision = implement(
  contract.restoreDocumentRevision,
  content("documents:write", "content"),
  async (context, { target, params }) => {
    const { tx, member } = context;
    if (target.trashed) refuse("document_trashed");
    const { digest } = (await store.digestOf(tx, target.id, params.revision)) ?? refuse("not_found");
    if (digest !== target.digest)
      await store.restoreContent(context, target.revision, params.revision, {
        document: target,
        reason: "restore",
        authors: [member.actorId],
      });
    return (await readContent(tx, target.id, "content")) ?? refuse("not_found");
  },
);

export const compareDocumentRevisions = implementWithEffects(
  contract.compareDocumentRevisions,
  insideDocument("documents:read"),
  async ({ read, member }, { target, query: { from, to } }) => {
    const sides = await read((tx) => store.readBoth(tx, target.id, [from, to]));
    const side = (revision: string) => {
      const found = sides.find(({ name }) => name === revision) ?? refuse("not_found");
      return { ...found, name: `revision ${revision}` };
    };
    return { from, to, ...(await compare(side(from), side(to), member.workspaceId)) };
  },
);
