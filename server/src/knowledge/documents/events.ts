// Events of Documents. A change carries the former and the new values of its fields, so that it can be undone. If a
// Document is moved, trashed or restored, one event covers all its descendants.

import { documentLabelsChanged } from "../../planning/labels/change.ts";
import { event, type Fact } from "../../platform/kernel/events.ts";
import type { DocumentFields, Lost } from "./rules.ts";

export const documentCreated = event("document.created", { activity: "document" });
/** The Document has another parent or another Project. */
const documentMoved = event("document.moved", { activity: "document" });
const documentArchived = event("document.archived", { activity: "document" });
const documentUnarchived = event("document.unarchived", { activity: "document" });
export const documentTrashed = event("document.trashed", { activity: "document" });
export const documentRestored = event("document.restored", { activity: "document" });
/** Feeds show the deletion, and no longer any name of the Document in this and earlier events. */
export const documentDeleted = event("document.deleted", { activity: "document" });
/** Changes of title, icon and order appear in no feed. */
const documentUpdated = event("document.updated");
/**
 * Publication is configuration, as with Projects. The event omits the public name, which is not reused after
 * unpublishing.
 */
const documentPublished = event("document.published");
const documentUnpublished = event("document.unpublished");

export const subjectOf = ({ id, project_id }: Pick<DocumentFields, "id" | "project_id">) => ({
  kind: "document",
  id,
  projectId: project_id,
});

/** Former and new values of the fields that have changed; null if none has. */
function turned(before: DocumentFields, after: DocumentFields, fields: readonly (keyof DocumentFields)[]) {
  const changed = fields.filter((field) => before[field] !== after[field]);
  if (changed.length === 0) return null;
  const of = (values: DocumentFields) => Object.fromEntries(changed.map((field) => [field, values[field]]));
  return { from: of(before), to: of(after) };
}
const places = ({ parent_id, project_id, position }: DocumentFields) => ({ parent_id, project_id, position });

/** Returns one event per kind of change. The events of a Document follow it into another Project. */
export function changesOf(before: DocumentFields, after: DocumentFields, lost: Lost = []): Fact[] {
  const subject = subjectOf(after);
  const moved = before.parent_id !== after.parent_id || before.project_id !== after.project_id;
  const corrected = turned(before, after, moved ? ["title", "icon"] : ["title", "icon", "position"]);
  const archival = turned(before, after, ["archived_at"]);
  // Leaving its Project unpublishes a Document, which is no event of its own.
  const published = before.project_id === after.project_id && before.public_id !== null;
  const publishes = after.public_id !== null && after.public_id !== before.public_id;
  const labels = { from: before.label_ids, to: after.label_ids };
  return [
    moved && documentMoved(subject, { from: places(before), to: places(after), ...(lost.length > 0 && { lost }) }),
    corrected !== null && documentUpdated(subject, corrected),
    JSON.stringify(labels.from) !== JSON.stringify(labels.to) && documentLabelsChanged(subject, labels),
    archival !== null && (after.archived_at === null ? documentUnarchived : documentArchived)(subject, archival),
    publishes && documentPublished(subject, { from: { published: false }, to: { published: true } }),
    published &&
      after.public_id === null &&
      documentUnpublished(subject, { from: { published: true }, to: { published: false } }),
  ].filter((fact) => fact !== false);
}
