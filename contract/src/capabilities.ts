// The one vocabulary of `capabilities`: what a caller can be told that it may do with a resource now, as <noun>:<verb>. Each word says what it
// means and names the operations that do it: nobody is told of what none of them would accept from their credential.
import Type from "typebox";

/** What it means, then the operations. */
type Word = readonly [string, ...string[]];

export const capabilityWords = {
  "workspace:read": [
    "Read the Workspace, its settings and its people.",
    "getWorkspace",
    "getDeveloperWorkspace",
    "listMembers",
  ],
  "workspace:manage": [
    "Change the Workspace, its settings, policies and workflow.",
    "updateWorkspace",
    "updateWorkspaceSettings",
    "replaceAiAccessPolicy",
    "updateProjectLifecycle",
    "replaceMilestoneLifecycle",
  ],
  "workspace:archive": ["Archive the Workspace.", "archiveWorkspace"],
  "workspace:restore": ["Take the Workspace out of the archive.", "updateWorkspace"],
  "workspace:create": ["Create a Workspace.", "createWorkspace", "createMobileWorkspace"],
  "members:manage": ["Invite people, and change who belongs to the Workspace.", "createInvitation", "updateMember"],
  "work:read": ["Read the work in it.", "getTask", "getProject", "getCliTask", "getCliProject"],
  "work:write": ["Change it and the work in it, and add to it.", "createTask", "updateTask", "createCliTask"],
  "work:manage": [
    "Manage the work in it: its rules and its people, reviews, and what others wrote.",
    "addProjectMember",
    "updateTask",
    "completeCliTask",
  ],
  "documents:read": ["Read Documents.", "getDocument", "listDocuments", "getCliDocument"],
  "documents:write": [
    "Write Documents, move them, throw them away and bring them back.",
    "createDocument",
    "updateDocument",
  ],
  "documents:manage": ["Publish Documents, and delete them for ever.", "updateDocument", "deleteDocument"],
  "time:read": ["Read the time recorded on it.", "getTaskTimeTotals", "getProjectTimeTotals"],
  "time:write": ["Record time.", "createTimeEntry"],
  "time:manage": [
    "Decide how time is tracked, and correct the time of others.",
    "updateTimeTracking",
    "updateTimeEntry",
  ],
  "knowledge:read": ["Read what knowledge is kept.", "getKnowledgeSettings"],
  "knowledge:manage": ["Decide what knowledge is kept.", "updateKnowledgeSettings"],
  "api_token:create": ["Create an API token in the Workspace of the session.", "createApiToken"],
  "api_token:revoke": ["Revoke the API token.", "deleteApiToken"],
  "mcp_credential:revoke": ["Revoke the MCP service credential.", "revokeMcpServiceCredential"],
  "passkey:update": ["Rename the passkey.", "updatePasskey"],
  "passkey:delete": ["Remove the passkey.", "deletePasskey"],
  "member:update": ["Change the role, suspend, or end the suspension.", "updateMember"],
  "member:remove": ["End the membership.", "removeMember"],
  "member:restore": ["Let a former member in again.", "restoreMember"],
  "invitation:resend": ["Send the invitation once more.", "resendInvitation"],
  "invitation:revoke": ["Revoke the invitation.", "revokeInvitation"],
  "project:update": ["Change the Project itself.", "updateProject"],
  "project:delete": ["Delete the Project and everything in it.", "deleteProject"],
  "project:restore": ["Take the Project out of the archive.", "updateProject"],
  "project_member:update": ["Change the role in the Project.", "updateProjectMember"],
  "project_member:remove": ["Take the person out of the Project.", "removeProjectMember"],
  "milestone:update": ["Change the Milestone.", "updateMilestone"],
  "milestone:delete": ["Delete the Milestone.", "deleteMilestone"],
  "status:update": ["Change or move the Status.", "updateStatus", "moveStatus"],
  "status:archive": ["Archive the Status, with a replacement.", "archiveStatus"],
  "status:delete": ["Delete the Status, once nothing uses it.", "deleteStatus"],
  "project_state:update": ["Change or move the state.", "updateProjectState", "moveProjectState"],
  "project_state:archive": ["Archive the state, with a replacement.", "archiveProjectState"],
  "project_state:delete": ["Delete the state, once no Project is in it.", "deleteProjectState"],
  "migration:retry": ["Run the failed job again.", "retryLifecycleMigration"],
  "task:restore": ["Take the Task out of the trash.", "restoreTask"],
  "task:delete": ["Delete the Task for ever.", "deleteTask"],
  "document:restore": ["Take the Document out of the trash.", "restoreDocument"],
  "document:delete": ["Delete the Document for ever.", "deleteDocument"],
  "relation:update": ["Change the type of the relation.", "updateTaskRelation"],
  "relation:delete": ["Remove the relation.", "deleteTaskRelation"],
  "comment:update": ["Edit the comment.", "updateComment"],
  "comment:delete": ["Delete the comment.", "deleteComment"],
  "comment:react": ["React to the comment.", "addReaction"],
  "label:update": ["Change the label.", "updateLabel"],
  "label:delete": ["Delete the label.", "deleteLabel"],
  "label_override:update": ["Change how the Project shows the label.", "replaceLabelOverride"],
  "label_override:delete": ["Show the label as the Workspace does.", "deleteLabelOverride"],
  "upload:complete": ["Complete the upload, once the file is there.", "completeAttachmentUpload"],
  "upload:cancel": ["Cancel the upload.", "deleteAttachmentUpload"],
  "attachment:download": ["Get a URL to save the file from.", "downloadAttachment"],
  "attachment:preview": ["Get a URL to show the file from.", "previewAttachment"],
  "attachment:attach": [
    "Attach the file to a Task, a Document or a Project.",
    "attachToTask",
    "attachToProject",
    "attachToDocument",
  ],
  "attachment:delete": ["Delete the attachment and its file.", "deleteAttachment"],
  "time_entry:update": ["Correct the recorded time.", "updateTimeEntry"],
  "time_entry:void": ["Void the recorded time.", "deleteTimeEntry"],
  "inbox_item:update": ["Mark the item as read or unread, archive it or take it back.", "updateInboxItem"],
  "command:undo": ["Undo the command.", "undoCommand", "undoOperation"],
  "command:redo": ["Redo the command.", "redoCommand"],
} as const satisfies Record<string, Word>;

export type Capability = keyof typeof capabilityWords;

export const Capability = Type.Unsafe<Capability>({
  type: "string",
  enum: Object.keys(capabilityWords),
  description: Object.entries(capabilityWords)
    .map(([word, [says]]) => `- \`${word}\`: ${says}`)
    .join("\n"),
});
