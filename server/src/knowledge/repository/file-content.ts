// Parses Markdown from the repository to a content: a worker thread parses it, references are resolved, and its
// attachments must belong to the Document.

import { Refusal } from "../../platform/wire/problem.ts";
import { parse } from "../documents/content/parsing.ts";
import { requireReferences } from "../documents/content/references.ts";
import type { StoredContent } from "../documents/store.ts";

type Read = Parameters<typeof requireReferences>[0];
interface Place {
  workspaceId: string;
  /** The Document and the revision at which it was read; null for a new Document. */
  over: { id: string; revision: string } | null;
  /** Attachments that belong, or are about to belong, to the Document. */
  own: readonly string[];
}

/** Refusals caused by the content; any other may pass on a retry. */
const REFUSED = new Set<string>(["invalid_request", "document_too_complex", "document_too_large", "invalid_reference"]);

/** Null if the content cannot be stored. */
export async function contentOf(
  read: Read,
  body: string,
  { workspaceId, over, own }: Place,
): Promise<StoredContent | null> {
  try {
    const forms = await parse(body, workspaceId);
    const attachments = forms.attachments.filter((id) => !own.includes(id));
    return await requireReferences(read, { ...forms, attachments }, { over, pointer: "/body" }, workspaceId);
  } catch (error) {
    if (error instanceof Refusal && REFUSED.has(error.code)) return null;
    throw error;
  }
}
