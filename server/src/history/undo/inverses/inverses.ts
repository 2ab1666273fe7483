// The inverse of each event type. A command without events, or with an event of another type, cannot be undone.
import type { Inverse } from "../conflict.ts";
import {
  undoCommentsCreated,
  undoCommentsUpdated,
  undoReactionsAdded,
  undoReactionsRemoved,
} from "./comment-inverses.ts";
import {
  documentChanges,
  undoContents,
  undoDocumentChanges,
  undoDocumentsIn,
  undoDocumentsOut,
} from "./document-inverses.ts";
import { undoLabelChanges, undoLabelsCreated, undoLabelsDeleted, undoOverrides } from "./label-definition-inverses.ts";
import { undoProjectLabels } from "./label-inverse.ts";
import { undoLinksAdded, undoLinksRemoved } from "./link-inverses.ts";
import { undoMoves } from "./move-inverse.ts";
import {
  undoMembersAdded,
  undoMembersChanged,
  undoMembersRemoved,
  undoMilestoneChanges,
  undoMilestonesCreated,
  undoMilestonesDeleted,
  undoProjectChanges,
  undoProjectMoves,
  undoProjectsCreated,
  undoProjectsDeleted,
} from "./project-inverses.ts";
import {
  undoRelationsAdded,
  undoRelationsChanged,
  undoRelationsRemoved,
  undoSubscriptions,
} from "./relation-inverses.ts";
import { taskChanges, undoTaskChanges } from "./task-inverses.ts";
import { undoTimeCorrected, undoTimeRecorded, undoTimeVoided } from "./time-inverses.ts";
import { workflowInverses } from "./workflow-inverses.ts";

export const inverses: ReadonlyMap<string, Inverse> = new Map([
  ...taskChanges.map((type): [string, Inverse] => [type, undoTaskChanges]),
  ["task.moved", undoMoves],
  ["task.relation_added", undoRelationsAdded],
  ["task.relation_changed", undoRelationsChanged],
  ["task.relation_removed", undoRelationsRemoved],
  ["task.subscription_changed", undoSubscriptions],
  ["project.labels_changed", undoProjectLabels],
  ...documentChanges.map((type): [string, Inverse] => [type, undoDocumentChanges]),
  ["document.content_updated", undoContents],
  ["document.created", undoDocumentsIn],
  ["document.restored", undoDocumentsIn],
  ["document.trashed", undoDocumentsOut],
  ["document.link_added", undoLinksAdded],
  ["document.link_removed", undoLinksRemoved],
  ["task.comment.created", undoCommentsCreated],
  ["task.comment.updated", undoCommentsUpdated],
  ["task.comment.reaction_added", undoReactionsAdded],
  ["task.comment.reaction_removed", undoReactionsRemoved],
  ["project.created", undoProjectsCreated],
  ["project.updated", undoProjectChanges],
  ["project.configured", undoProjectChanges],
  ["project.moved", undoProjectMoves],
  ["project.deleted", undoProjectsDeleted],
  ["project.restored", undoProjectsCreated],
  ["project.member_added", undoMembersAdded],
  ["project.member_changed", undoMembersChanged],
  ["project.member_removed", undoMembersRemoved],
  ["milestone.created", undoMilestonesCreated],
  ["milestone.restored", undoMilestonesCreated],
  ["milestone.updated", undoMilestoneChanges],
  ["milestone.stage_changed", undoMilestoneChanges],
  ["milestone.deleted", undoMilestonesDeleted],
  ["label.created", undoLabelsCreated],
  ["label.restored", undoLabelsCreated],
  ["label.updated", undoLabelChanges],
  ["label.deleted", undoLabelsDeleted],
  ["label.override_replaced", undoOverrides],
  ["label.override_deleted", undoOverrides],
  ...workflowInverses,
  ["time_entry.recorded", undoTimeRecorded],
  ["time_entry.restored", undoTimeRecorded],
  ["time_entry.corrected", undoTimeCorrected],
  ["time_entry.voided", undoTimeVoided],
]);
