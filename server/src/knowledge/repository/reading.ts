// Markdown from outside as the content of a Document: taken apart in a thread, what it names looked up, and what it shows must be the Document's own.

import { Refusal } from "../../platform/wire/problem.ts";
import { parse } from "../documents/content/parsing.ts";
import { requireReferences } from "../documents/content/references.ts";
import type { Content } from "../documents/store.ts";

type Read = Parameters<typeof requireReferences>[0];
interface Place {
  workspaceId: string;
  /** The Document that it is for, at the revision that it was read at; null where there is none yet. */
  over: { id: string; revision: string } | null;
  /** Attachments that are, or are about to be, the Document's. */
  own: readonly string[];
}

/** What is refused because of what it says; anything else may pass another time. */
const REFUSED = new Set<string>(["invalid_request", "document_too_complex", "document_too_large", "invalid_reference"]);

/** Null where it cannot be kept. */
export async function contentOf(read: Read, body: string, { workspaceId, over, own }: Place): Promise<Content | null> {
  try {
    const forms = await parse(body, workspaceId);
    const attachments = forms.attachments.filter((id) => !own.includes(id));
    return await requireReferences(read, { ...forms, attachments }, { over, pointer: "/body" }, workspaceId);
  } catch (error) {
    if (error instanceof Refusal && REFUSED.has(error.code)) return null;
    throw error;
  }
}
