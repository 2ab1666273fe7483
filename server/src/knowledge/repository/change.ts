// Creates, changes and trashes Documents for the repository, through the functions of their own domain: for runs, and
// for resolved conflicts.

import type { Context } from "../../platform/kernel/implement-operation.ts";
import { type DocumentTarget, documentInTree } from "../documents/access.ts";
import { changeDocument, restoreDocument, trashDocument } from "../documents/change.ts";
import { writeContent } from "../documents/content/store.ts";
import { createIn } from "../documents/creation.ts";
import { type CurrentDocumentPlace, extentOf, type StoredContent, standing } from "../documents/store.ts";
import { type DocumentPage, pageOf } from "./files/front-matter.ts";
import type { Doc, Label } from "./run-store.ts";

/**
 * The label with this name that a Document of the Project may have: the Project's own takes precedence over the
 * Workspace's.
 */
export function labelIn(labels: readonly Label[], projectId: string | null, name: string): Label | undefined {
  const fits = labels.filter(
    (label) =>
      label.name.toLowerCase() === name.toLowerCase() && (label.project_id === null || label.project_id === projectId),
  );
  return fits.find(({ project_id }) => project_id !== null) ?? fits[0];
}
const idsIn = (labels: readonly Label[], projectId: string | null, names: readonly string[]) =>
  names.flatMap((name) => labelIn(labels, projectId, name)?.id ?? []);

interface Made {
  title: string;
  parent_id: string | null;
  labels: string[];
}
export async function create(
  context: Context,
  known: readonly Label[],
  made: Made,
  content?: StoredContent,
): Promise<Doc> {
  const { title, parent_id, labels } = made;
  const { json } = await createIn(context, { title, parent_id, label_ids: idsIn(known, null, labels) }, content);
  return { ...(JSON.parse(json) as Doc), labels };
}

/** Loads the Document, and locks it and the tree. */
export const take = ({ tx }: Context, id: string) =>
  documentInTree("documents:write").load(tx, { document_id: id }, true);

export async function toTrash(context: Context, id: string): Promise<void> {
  const target = await take(context, id);
  if (target && !target.trashed) trashDocument(context, target, await extentOf(context.tx, id))();
}
export async function fromTrash(context: Context, target: DocumentTarget): Promise<void> {
  await restoreDocument(context, target, (await standing(context.tx, target.id)) as CurrentDocumentPlace)();
}

interface Changing {
  doc: Doc;
  /** The Document, if it is already locked. */
  target?: DocumentTarget | undefined;
  /** The file form of the Document when it was read. */
  before: string;
  wanted: DocumentPage & { parent_id?: string | null };
  content: StoredContent;
}
/** Returns undefined if the Document has changed since it was read. */
export async function change(
  context: Context,
  known: readonly Label[],
  { doc, target: held, before, wanted, content }: Changing,
): Promise<Doc | undefined> {
  const { member } = context;
  const target = held ?? (await take(context, doc.id));
  if (!target || target.trashed || target.revision !== doc.revision || target.content_revision !== doc.content_revision)
    return undefined;
  const was = pageOf(before);
  const { title, labels, parent_id, body } = wanted;
  const changed = {
    ...(title !== was.title && { title }),
    ...(labels.join("\n") !== was.labels.join("\n") && { label_ids: idsIn(known, doc.project_id, labels) }),
    ...(parent_id !== undefined && { parent_id }),
  };
  const rendered = Object.keys(changed).length > 0 ? await changeDocument(context, target, changed) : null;
  const after = rendered ? (JSON.parse(rendered.json) as Doc) : { ...doc };
  if (body !== was.body) {
    const written = await writeContent(context, {
      document: target,
      ...content,
      reason: "sync",
      authors: [member.actorId],
    });
    after.content_revision = written.content_revision;
  }
  return { ...doc, ...after, labels };
}
