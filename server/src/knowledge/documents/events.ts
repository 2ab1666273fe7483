// Facts about Documents. What is told of a change is what was and what is of the fields that it changes, so that it can be undone. Of a Document that
// moves, is thrown away or comes back, one fact tells of all that goes along.

import { documentLabelsChanged } from "../../planning/labels/change.ts";
import { event, type Fact } from "../../platform/kernel/events.ts";
import type { DocumentFields, Lost } from "./rules.ts";

export const documentCreated = event("document.created", { activity: "document" });
/** It stands below another Document, or in another Project. */
const documentMoved = event("document.moved", { activity: "document" });
const documentArchived = event("document.archived", { activity: "document" });
const documentUnarchived = event("document.unarchived", { activity: "document" });
export const documentTrashed = event("document.trashed", { activity: "document" });
export const documentRestored = event("document.restored", { activity: "document" });
/** Feeds show that it was deleted, and of it and all its earlier events no name any more. */
export const documentDeleted = event("document.deleted", { activity: "document" });
/** Ordinary title corrections, the icon and the order appear in no feed. */
const documentUpdated = event("document.updated");
/** Configuration, as with Projects. The public name itself is told to nobody: once it is taken back, it is gone. */
const documentPublished = event("document.published");
const documentUnpublished = event("document.unpublished");

export const subjectOf = ({ id, project_id }: Pick<DocumentFields, "id" | "project_id">) => ({
  kind: "document",
  id,
  projectId: project_id,
});

/** What was and what is of those of these fields that have changed; null where none of them has. */
function turned(before: DocumentFields, after: DocumentFields, fields: readonly (keyof DocumentFields)[]) {
  const changed = fields.filter((field) => before[field] !== after[field]);
  if (changed.length === 0) return null;
  const of = (values: DocumentFields) => Object.fromEntries(changed.map((field) => [field, values[field]]));
  return { from: of(before), to: of(after) };
}
const places = ({ parent_id, project_id, position }: DocumentFields) => ({ parent_id, project_id, position });

/** One fact for each kind of change. The events of a Document follow it into another Project. */
export function changesOf(before: DocumentFields, after: DocumentFields, lost: Lost = []): Fact[] {
  const subject = subjectOf(after);
  const moved = before.parent_id !== after.parent_id || before.project_id !== after.project_id;
  const corrected = turned(before, after, moved ? ["title", "icon"] : ["title", "icon", "position"]);
  const archival = turned(before, after, ["archived_at"]);
  // What leaves its Project is not published any more; that is no decision of its own.
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
