// Writes a patch. The content was computed when the patch was drafted, and is written like any other content.
import type { ContentTarget } from "../../knowledge/documents/content/access.ts";
import { writeContent } from "../../knowledge/documents/content/store.ts";
import { markdownDigest } from "../../knowledge/documents/rules.ts";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import type { WrittenPatch } from "./patch-store.ts";

/** Requires a locked Document at the patch's base revision. */
export async function writePatch(
  context: Context,
  document: ContentTarget,
  { content, markdown, text }: Pick<WrittenPatch, "content" | "markdown" | "text">,
): Promise<{ content_revision: string }> {
  if (document.trashed) refuse("document_trashed");
  if (document.digest === markdownDigest(markdown)) return { content_revision: document.revision };
  const authors = [context.member.actorId];
  return writeContent(context, { document, content, markdown, text, reason: "write", authors });
}
