// Inverses of changes to Documents. All changes of one command to a Document are reverted as one change, by the same
// code as any other: a field only while it has the value that the command set, the others keep their current value.
// Undoing a creation moves the Document to the trash.
import { type DocumentTarget, documentInTree } from "../../../knowledge/documents/access.ts";
import {
  type DocumentChanges,
  decide,
  fieldsOf,
  requirePlace,
  restoreDocument,
  trashDocument,
  write,
} from "../../../knowledge/documents/change.ts";
import { content } from "../../../knowledge/documents/content/access.ts";
import { restoreContent } from "../../../knowledge/documents/content/store.ts";
import type { DocumentFields, Lost } from "../../../knowledge/documents/rules.ts";
import * as store from "../../../knowledge/documents/store.ts";
import { usableLabels } from "../../../planning/labels/store.ts";
import { settle } from "../../../platform/kernel/context.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import {
  conflict,
  each,
  hindered,
  type Inverse,
  later,
  movedOn,
  type OrderedEffect,
  reach,
  requireNone,
  same,
  withoutHindrance,
} from "../conflict.ts";

const LABELS = "document.labels_changed";
export const documentChanges = [
  LABELS,
  "document.moved",
  "document.updated",
  "document.archived",
  "document.unarchived",
  "document.published",
  "document.unpublished",
];
type Fields = Partial<DocumentFields> & { published?: boolean };
const turnOf = ({ type, payload: { from, to } }: OrderedEffect): [was: Fields, made: Fields] =>
  type === LABELS ? [{ label_ids: from as string[] }, { label_ids: to as string[] }] : [from as Fields, to as Fields];

const reached = (context: Context, done: OrderedEffect, change: boolean) =>
  reach(context, done, documentInTree("documents:write"), { document_id: done.id }, change);

/** Loads the place to restore if the parent or the path changes. The parent is the former one or the current one. */
async function lookAround(context: Context, done: OrderedEffect, was: Fields) {
  const { tx, member } = context;
  const moves = was.parent_id !== undefined;
  if (!moves && was.title === undefined) return { place: null, extent: { below: 0, levels: 0 }, last: 0, lost: [] };
  const { parent_id = null, project_id = null } = was;
  const [place, extent, lost] = await settle([
    moves ? requirePlace(context, { parent_id, project_id }) : store.standing(tx, done.id),
    store.extentOf(tx, done.id),
    moves ? store.lostIn(tx, member.workspaceId, done.id, project_id) : [],
  ]);
  return { place: place ?? null, extent, last: 0, lost };
}

async function undoChange(context: Context, own: readonly OrderedEffect[], change: boolean) {
  const { tx, member } = context;
  const last = own[0] as OrderedEffect;
  const turns = own.map(turnOf);
  const was: Fields = Object.assign({}, ...turns.map(([fields]) => fields));
  const made: Fields = Object.assign({}, ...turns.map(([, fields]) => fields));
  // The public name is gone: the Document would be published under another one.
  if (was.published) refuse("not_undoable");
  const there = was.project_id === undefined ? last.project_id : was.project_id;
  const labelled = [...(was.label_ids ?? []), ...(made.label_ids ?? [])];
  const usableIn = (project: string | null) =>
    labelled.length > 0 ? usableLabels(tx, member.workspaceId, labelled, project, "document", change) : [];
  const [target, around, before, after] = await settle([
    reached(context, last, change),
    later(lookAround(context, last, was)),
    usableIn(last.project_id),
    usableIn(there),
  ]);
  const now: Fields = { ...fieldsOf(target), published: fieldsOf(target).public_id !== null };
  if (target.trashed) conflict([hindered(last, "", "document_trashed", "lies in the trash")]);
  // A label deleted since is ignored: the Document would have lost it anyway.
  const today = (labels: readonly { id: string }[], ids: string[] = []) =>
    ids.filter((id) => labels.some((label) => label.id === id));
  const expected: Fields = made.label_ids ? { ...made, label_ids: today(before, made.label_ids) } : made;
  const fields = (Object.keys(expected) as (keyof Fields)[]).filter((field) => field !== "position");
  const owner = (field: keyof Fields) => own[turns.findIndex(([, turn]) => field in turn)] ?? last;
  requireNone(
    fields.filter((field) => !same(now[field], expected[field])).map((field) => movedOn(owner(field), field)),
  );
  // The Document was moved after the command was loaded, and the lookups used its former Project.
  if (made.project_id === undefined && target.project_id !== last.project_id) conflict([movedOn(last, "project_id")]);
  const wanted = { ...was, ...(was.label_ids && { label_ids: today(after, was.label_ids) }) } as DocumentChanges;
  const decided = await withoutHindrance(last, () => decide(context, target, wanted, around()));
  const lost = own.flatMap(({ payload }) => (payload.lost ?? []) as Lost);
  return () => {
    if (decided) context.defer(write(context, decided, lost));
  };
}
export const undoDocumentChanges: Inverse = async (context, done, change) => {
  const found = await settle(
    [...Map.groupBy(done, ({ id }) => id).values()].map((own) => undoChange(context, own, change)),
  );
  return () => {
    for (const apply of found) apply();
  };
};

/**
 * Restores the former content as a new revision, unless there is a later one. Text being typed is merged, as with any
 * write.
 */
export const undoContents: Inverse = each(async (context, done, change) => {
  const { member, defer } = context;
  const access = content("documents:write", "markdown");
  const target = await reach(context, done, access, { document_id: done.id }, change);
  if (target.trashed) conflict([hindered(done, "", "document_trashed", "lies in the trash")]);
  const { from, to } = done.payload as { from: string; to: string };
  if (target.revision !== to) conflict([movedOn(done, "content_revision")]);
  const writing = { document: target, reason: "restore", authors: [member.actorId] } as const;
  return () => defer(restoreContent(context, to, from, writing));
});

const requireIn = (done: OrderedEffect, target: DocumentTarget, trashed: boolean) => {
  if (target.trashed !== trashed) conflict([movedOn(done, "trashed_at")]);
};
/** Moves a created or restored Document to the trash, with everything below it now. */
export const undoDocumentsIn: Inverse = each(async (context, done, change) => {
  const [target, extent] = await settle([reached(context, done, change), store.extentOf(context.tx, done.id)]);
  requireIn(done, target, false);
  return withoutHindrance(done, () => trashDocument(context, target, extent));
});
/** Restores a trashed Document to its former place, unless the place is gone. */
export const undoDocumentsOut: Inverse = each(async (context, done, change) => {
  const [target, from] = await settle([reached(context, done, change), store.standing(context.tx, done.id)]);
  requireIn(done, target, true);
  // The parent was deleted for good, or the Document was restored and trashed again since.
  if (!same(fieldsOf(target).parent_id, done.payload.parent_id)) conflict([movedOn(done, "parent_id")]);
  const restore = await withoutHindrance(done, () =>
    restoreDocument(context, target, from as store.CurrentDocumentPlace, false),
  );
  return () => context.defer(restore());
});
