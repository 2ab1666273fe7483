// The content of a Document, read and written in both forms. A worker thread parses it before the transaction that
// writes it.
import * as contract from "@svc/contract/knowledge/documents/content/content.ts";
import {
  type EffectsContext,
  implement,
  implementWithEffects,
  type Rendered,
} from "../../../platform/kernel/implement-operation.ts";
import { requirePermission } from "../../../platform/kernel/steps.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { markdownDigest } from "../rules.ts";
import { type ContentTarget, content, type Form } from "./access.ts";
import type { Forms } from "./forms.ts";
import { parse, render } from "./parsing.ts";
import { requireReferences } from "./references.ts";
import { writeContent } from "./store.ts";

export const getDocumentContent = implement(
  contract.getDocumentContent,
  content("documents:read", "content"),
  async (_context, { target: { json, revision } }) => ({ json, revision }),
);
export const getDocumentMarkdown = implement(
  contract.getDocumentMarkdown,
  content("documents:read", "markdown"),
  async (_context, { target: { json, revision } }) => ({ json, revision }),
);

/**
 * Requires the revision that the caller has read, so that concurrent changes are not overwritten. A write without
 * changes creates no revision.
 */
async function write(
  context: EffectsContext,
  target: ContentTarget,
  as: Form,
  parsed: () => Promise<Forms>,
): Promise<Rendered> {
  const { workspaceId, actorId } = context.member;
  if (target.trashed) refuse("document_trashed");
  const { id, revision } = target;
  const forms = await requireReferences(
    context.read,
    await parsed(),
    { over: { id, revision }, pointer: `/body/${as}` },
    workspaceId,
  );
  return context.finish(async (here) => {
    const now = (await writing.load(here.tx, { document_id: id }, true)) ?? refuse("not_found");
    requirePermission(writing.permits(here, now));
    if (now.trashed) refuse("document_trashed");
    if (context.namesRevision && now.revision !== revision)
      refuse("revision_conflict", { current_revision: now.revision });
    const { content_revision } =
      now.digest === markdownDigest(forms.markdown)
        ? { content_revision: now.revision }
        : await writeContent(here, { document: now, ...forms, reason: "write", authors: [actorId] });
    const said = as === "content" ? forms.content : JSON.stringify(forms.markdown);
    return { json: `{"${as}":${said},"content_revision":"${content_revision}"}`, revision: content_revision };
  });
}
const writing = content("documents:write", "markdown");
export const replaceDocumentContent = implementWithEffects(
  contract.replaceDocumentContent,
  writing,
  async (context, { target, body }) =>
    write(context, target, "content", () => render(JSON.stringify(body.content), context.member.workspaceId)),
);
export const replaceDocumentMarkdown = implementWithEffects(
  contract.replaceDocumentMarkdown,
  writing,
  async (context, { target, body }) =>
    write(context, target, "markdown", () => parse(body.markdown, context.member.workspaceId)),
);
