// What can be undone, and how: one entry for each kind of event. A command with an event that is not here, or without any, is not undoable.
import {
  undoCommentsCreated,
  undoCommentsUpdated,
  undoReactionsAdded,
  undoReactionsRemoved,
} from "./comment-inverses.ts";
import type { Inverse } from "./conflict.ts";
import { undoProjectLabels } from "./label-inverse.ts";
import { undoMoves } from "./move-inverse.ts";
import {
  undoRelationsAdded,
  undoRelationsChanged,
  undoRelationsRemoved,
  undoSubscriptions,
} from "./relation-inverses.ts";
import { taskChanges, undoTaskChanges } from "./task-inverses.ts";
import { undoTimeCorrected, undoTimeRecorded, undoTimeVoided } from "./time-inverses.ts";

export const inverses: ReadonlyMap<string, Inverse> = new Map([
  ...taskChanges.map((type): [string, Inverse] => [type, undoTaskChanges]),
  ["task.moved", undoMoves],
  ["task.relation_added", undoRelationsAdded],
  ["task.relation_changed", undoRelationsChanged],
  ["task.relation_removed", undoRelationsRemoved],
  ["task.subscription_changed", undoSubscriptions],
  ["project.labels_changed", undoProjectLabels],
  ["task.comment.created", undoCommentsCreated],
  ["task.comment.updated", undoCommentsUpdated],
  ["task.comment.reaction_added", undoReactionsAdded],
  ["task.comment.reaction_removed", undoReactionsRemoved],
  ["time_entry.recorded", undoTimeRecorded],
  ["time_entry.restored", undoTimeRecorded],
  ["time_entry.corrected", undoTimeCorrected],
  ["time_entry.voided", undoTimeVoided],
]);
