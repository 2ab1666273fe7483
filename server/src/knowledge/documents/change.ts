// Every change of a Document goes through here, whichever operation requests it: the new place is validated, the
// Document and its descendants are written, and each kind of change is recorded. Requires a locked Document outside the
// trash, and the lock on the tree.
import { MOST_AT_ONCE, MOST_LEVELS } from "@svc/contract/knowledge/documents/documents.ts";
import { requireLabels } from "../../planning/labels/change.ts";
import { documentCapabilities, permitsDocument } from "../../planning/projects/access.ts";
import type { OrderTarget } from "../../platform/database/order.ts";
import { differing } from "../../platform/database/sql.ts";
import { settle } from "../../platform/kernel/context.ts";
import type { Context, Rendered } from "../../platform/kernel/implement-operation.ts";
import { requirePermission } from "../../platform/kernel/steps.ts";
import { render } from "../../platform/kernel/view.ts";
import { newPublicId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import type { DocumentTarget, InPlace } from "./access.ts";
import { changesOf, documentDeleted, documentRestored, documentTrashed, subjectOf } from "./events.ts";
import { type DocumentFields, type Lost, newSuffix, slugOf } from "./rules.ts";
import * as store from "./store.ts";

/** The fields of a loaded Document. */
export const fieldsOf = (target: DocumentTarget) => JSON.parse(target.json) as DocumentFields;

export type DocumentChanges = Partial<
  Pick<DocumentFields, "title" | "icon" | "parent_id" | "project_id" | "label_ids" | "archived_at" | "position">
> & {
  published?: boolean;
  beside?: OrderTarget;
};

/**
 * Requires a place for Documents: the caller sees it, may write there, and no part of it is in the trash. Below a
 * parent, the Project is the parent's.
 */
export async function requirePlace(
  context: Context,
  { parent_id, project_id }: { parent_id: string | null; project_id?: string | null },
): Promise<store.DocumentPlace> {
  const isOutside = parent_id === null && (project_id ?? null) === null && context.principal.projects !== "";
  const place = isOutside ? undefined : await store.placeOf(context.tx, parent_id, project_id ?? null);
  const pointer = `/body/${parent_id === null ? "project_id" : "parent_id"}`;
  if (!place) return refuseAt(pointer, "invalid_reference", "must be one that you see, in this Workspace");
  if (parent_id !== null && project_id !== undefined && project_id !== place.project_id)
    refuseAt("/body/project_id", "invalid_reference", "must be the parent's: leave it out, or send parent_id null");
  requirePermission(permitsDocument("documents:write")(context, place));
  if (place.trashed) refuseAt(pointer, "document_trashed", "is in the trash: restore it first");
  return place;
}

/** Requires that the Document fits at a place, with all its descendants. */
function requireFitting(
  id: string,
  place: store.DocumentPlace,
  { below, levels }: { below: number; levels: number },
): void {
  if (place.line.includes(id))
    refuseAt("/body/parent_id", "invalid_reference", "must be neither the Document itself nor one below it");
  if (below > MOST_AT_ONCE) refuse("document_tree_too_large");
  if (place.depth + 1 + levels > MOST_LEVELS) refuse("document_too_deep");
}

/**
 * Read before a change: the new place, if the place or the path changes, and the effect on the Document and its
 * descendants.
 */
export interface Surroundings {
  place: store.DocumentPlace | null;
  extent: { below: number; levels: number };
  /** Position after all others at that place. */
  last: number;
  /** Labels that cannot be used at that place. */
  lost: Lost;
}
const NOTHING: Surroundings = { place: null, extent: { below: 0, levels: 0 }, last: 0, lost: [] };

const isRenamed = (before: DocumentFields, { title }: DocumentChanges) =>
  title !== undefined && slugOf(title) !== slugOf(before.title);
async function look(context: Context, before: DocumentFields, wanted: DocumentChanges): Promise<Surroundings> {
  const { tx, member } = context;
  const { parent_id = before.parent_id, project_id = before.project_id } = wanted;
  const moves = parent_id !== before.parent_id || project_id !== before.project_id;
  if (!moves && !isRenamed(before, wanted)) return NOTHING;
  const [place, extent] = await settle([
    // A Document moved to the top stays in its Project, unless another one is named.
    requirePlace(context, { parent_id, project_id: parent_id === null ? project_id : wanted.project_id }),
    store.extentOf(tx, before.id),
  ]);
  if (!moves) return { ...NOTHING, place, extent };
  const [last, lost] = await settle([
    store.lastPosition(tx, member.workspaceId, place),
    place.project_id === before.project_id ? [] : store.lostIn(tx, member.workspaceId, before.id, place.project_id),
  ]);
  return { place, extent, last, lost };
}

/** Returns the position beside another Document; nothing if it already has it. */
async function requireNeighbour({ tx, member }: Context, id: string, placeId: string, beside: OrderTarget) {
  const pointer = `/body/${beside.side}_document_id`;
  const place = await store.placeBeside(tx, member.workspaceId, id, [placeId], beside);
  if (place === null)
    return refuseAt(pointer, "invalid_reference", "must be another Document below the same parent, and not archived");
  if (place === "full")
    return refuseAt(
      pointer,
      "invalid_reference",
      "more than 500 Documents stand at one place behind it: move some of them",
    );
  return place.already ? {} : { position: place.position };
}

/**
 * Fields of the publication, if it changes. Publishing a published Document again does not change its public name, so
 * that a repeated call breaks no link.
 */
function publication(context: Context, where: InPlace, public_id: string | null, published?: boolean) {
  if (published === undefined || published === (public_id !== null)) return {};
  // Anybody can read a published Document.
  requirePermission(permitsDocument("documents:manage")(context, where));
  if (published && where.project_private)
    refuseAt("/body/published", "project_private", "must not be true for a Document in a private Project");
  return published
    ? { public_id: newPublicId(), published_at: context.principal.now }
    : { public_id: null, published_at: null };
}

/** A validated change; null if nothing changes. */
interface Decided {
  before: DocumentFields;
  after: DocumentFields;
  changed: Partial<DocumentFields>;
  place: store.DocumentPlace | null;
  lost: Lost;
}
/** Requires labels and neighbors that were validated before. */
export function decide(
  context: Context,
  target: DocumentTarget,
  wanted: DocumentChanges,
  around: Surroundings,
): Decided | null {
  const before = fieldsOf(target);
  const { place, extent, last, lost } = around;
  if (place) requireFitting(before.id, place, extent);
  const { parent_id, project_id } = place ?? before;
  const leaves = project_id !== before.project_id;
  const moves = leaves || parent_id !== before.parent_id;
  const { published, beside: _, position = moves ? last : before.position, ...sent } = wanted;
  const kept = lost.find(({ id }) => id === before.id)?.to ?? before.label_ids;
  const fields = { label_ids: kept, ...sent, parent_id, project_id, position };
  const changed = {
    ...differing(fields, before),
    // A move to another Project ends the publication, unless the change publishes anew.
    ...(leaves && before.public_id !== null ? { public_id: null, published_at: null } : {}),
    ...publication(context, place ?? target, leaves ? null : before.public_id, published),
  };
  if (Object.keys(changed).length === 0) return null;
  const below = lost.filter(({ id }) => id !== before.id);
  return { before, after: { ...before, ...changed }, changed, place, lost: below };
}

/**
 * Starts the writes of a change, and records it. `putBack` are labels to restore on descendants. Returns the Document
 * after the change.
 */
export function write(context: Context, { before, after, changed, place, lost }: Decided, putBack: Lost = []) {
  const { tx, member, record } = context;
  const { workspaceId } = member;
  const { id, project_id } = after;
  const { public_id } = changed;
  for (const fact of changesOf(before, after, lost)) record(fact);
  return settle([
    place && store.enter(tx, workspaceId, id, place, slugOf(after.title), newSuffix()),
    place && (project_id === before.project_id ? store.settleBelow : store.carryBelow)(tx, workspaceId, id, place),
    putBack.length > 0 && store.relabel(tx, workspaceId, putBack, project_id),
    public_id && store.publish(tx, workspaceId, id, public_id),
    public_id === null && store.unpublish(tx, workspaceId, id),
    store.updateDocument(tx, workspaceId, id, changed),
    store.read(tx, id),
  ]).then((done) => done[6]);
}

/** Applies a change. A Document that already has all of these values stays unchanged. */
export async function changeDocument(
  context: Context,
  target: DocumentTarget,
  wanted: DocumentChanges,
): Promise<Rendered> {
  const before = fieldsOf(target);
  const around = await look(context, before, wanted);
  const at = around.place ?? before;
  // The same id may be spelled in two ways.
  const label_ids = wanted.label_ids && [...new Set(wanted.label_ids)];
  const { beside } = wanted;
  const [neighbour] = await settle([
    beside ? requireNeighbour(context, target.id, store.placeId(context.member.workspaceId, at), beside) : {},
    label_ids &&
      differing({ label_ids }, before) &&
      requireLabels(context, { kind: "document", project_id: at.project_id }, label_ids),
  ]);
  const decided = decide(context, target, { ...wanted, ...neighbour, ...(label_ids && { label_ids }) }, around);
  if (decided === null) return render(target, documentCapabilities(context, target));
  const row = await write(context, decided);
  return render(row, documentCapabilities(context, { ...(around.place ?? target), trashed: false }));
}

/** Moves the Document and all its descendants to the trash. */
export function trashDocument(context: Context, target: DocumentTarget, { below }: Surroundings["extent"]): () => void {
  const { tx, member, principal, record, defer } = context;
  if (below > MOST_AT_ONCE) refuse("document_tree_too_large");
  return () => {
    defer(store.trash(tx, member.workspaceId, target.id, principal.now));
    const { parent_id } = fieldsOf(target);
    const turned = { from: { trashed_at: null }, to: { trashed_at: principal.now } };
    record(documentTrashed(subjectOf(target), { ...turned, parent_id }));
  };
}

/**
 * Restores the Document from the trash below its parent, with everything trashed along with it; `orAtTop` permits the
 * top if the parent is gone. Returns the Document after the change.
 */
export function restoreDocument(
  context: Context,
  target: DocumentTarget,
  from: store.CurrentDocumentPlace,
  orAtTop = true,
) {
  const { tx, member, record } = context;
  const { workspaceId } = member;
  const { id, title, trashed_at } = fieldsOf(target);
  if (from.trashed && !orAtTop) refuseAt("/body/parent_id", "document_trashed", "is in the trash: restore it first");
  const place = from.trashed ? { ...from, parent_id: null, depth: 0, slugs: "", line: [] } : from;
  return () => {
    record(documentRestored(subjectOf(target), { from: { trashed_at }, to: { trashed_at: null } }));
    return settle([
      store.updateDocument(tx, workspaceId, id, from.trashed ? { position: from.last_at_top } : {}),
      store.enter(tx, workspaceId, id, place, slugOf(title), newSuffix()),
      store.returnBelow(tx, workspaceId, id, place, from.with_id),
      store.read(tx, id),
    ]).then((done) => done[3]);
  };
}

/** Deletes the Document for good, with everything trashed along with it. */
export async function deleteDocument(
  { tx, member, record }: Context,
  target: DocumentTarget,
  from: store.CurrentDocumentPlace,
) {
  const { count } = await store.deleteBelow(tx, member.workspaceId, target.id, from.with_id);
  record(documentDeleted(subjectOf(target), { count }));
}
