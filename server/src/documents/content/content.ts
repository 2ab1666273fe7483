// What a Document says, read and written in both forms. It is taken apart before the transaction that writes it, in a thread of its own.
import { createHash } from "node:crypto";
import * as contract from "@svc/contract/documents/content/content.ts";
import { type EffectsContext, implementWithEffects, type Rendered } from "../../kernel/implement.ts";
import { requirePermission } from "../../kernel/steps.ts";
import { refuse } from "../../wire/problem.ts";
import { type ContentTarget, content, type Form, readContent } from "./access.ts";
import type { Forms } from "./forms.ts";
import { liveSessions } from "./live.ts";
import { parse, render } from "./parsing.ts";
import { requireReferences } from "./references.ts";
import { writeContent } from "./store.ts";

/** What people have typed together is written down first, so that whoever reads it can say what they read. */
async function read({ read: reading, member }: EffectsContext, target: ContentTarget, as: Form): Promise<Rendered> {
  const sealed = await liveSessions.seal?.({ workspaceId: member.workspaceId, documentId: target.id });
  const { json, revision } =
    (sealed ? await reading((tx) => readContent(tx, target.id, as)) : target) ?? refuse("not_found");
  return { json, revision };
}
export const getDocumentContent = implementWithEffects(
  contract.getDocumentContent,
  content("documents:read", "content"),
  async (context, { target }) => read(context, target, "content"),
);
export const getDocumentMarkdown = implementWithEffects(
  contract.getDocumentMarkdown,
  content("documents:read", "markdown"),
  async (context, { target }) => read(context, target, "markdown"),
);

/** Two texts with the same are the same. */
const digestOf = (markdown: string) => createHash("md5").update(markdown).digest("hex");

/** Whoever named a revision has read it: what was written meanwhile is not written over. A change of nothing makes no revision. */
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
      now.digest === digestOf(forms.markdown)
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
