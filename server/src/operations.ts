// Every implementation: an import line a file, and its name in the list. The process refuses to start when an operation of the contract has none or two.
import { operations } from "@svc/contract/operations.ts";
import * as account from "./account/account.ts";
import * as apiTokens from "./account/api-tokens.ts";
import * as developerGrants from "./account/developer-grants.ts";
import * as mcpGrants from "./account/mcp-grants.ts";
import * as mobileCredentials from "./account/mobile-credentials.ts";
import * as notificationPreferences from "./account/notification-preferences.ts";
import * as profilePicture from "./account/profile-picture.ts";
import * as push from "./account/push.ts";
import * as ownSessions from "./account/sessions.ts";
import * as activity from "./activity/activity.ts";
import * as activityGroups from "./activity/groups.ts";
import * as personActivity from "./activity/person-activity.ts";
import * as projectActivity from "./activity/project-activity.ts";
import * as projectOverview from "./activity/project-overview.ts";
import * as taskActivity from "./activity/task-activity.ts";
import * as agentActions from "./agents/actions.ts";
import * as agents from "./agents/agents.ts";
import * as agentDefinitions from "./agents/definitions.ts";
import * as agentDelegations from "./agents/delegations.ts";
import * as agentOutputs from "./agents/outputs.ts";
import * as agentProfile from "./agents/profile.ts";
import * as agentRequests from "./agents/requests.ts";
import * as agentRuns from "./agents/runs.ts";
import * as agentStudio from "./agents/studio.ts";
import * as agentUsage from "./agents/usage.ts";
import * as attachments from "./attachments/attachments.ts";
import * as attachmentUploads from "./attachments/uploads.ts";
import * as billingCheckouts from "./billing/checkouts.ts";
import * as billingDeliveries from "./billing/deliveries.ts";
import * as billingSettings from "./billing/settings.ts";
import * as changeSets from "./changes/change-sets.ts";
import * as documentPatches from "./changes/document-patches.ts";
import * as cliContext from "./cli/context.ts";
import * as cliDocuments from "./cli/documents.ts";
import * as cliFind from "./cli/find.ts";
import * as cliProjects from "./cli/projects.ts";
import * as cliTasks from "./cli/tasks.ts";
import * as cliWorkflow from "./cli/workflow.ts";
import * as collaborationSessions from "./collaboration/sessions.ts";
import * as comments from "./comments/comments.ts";
import * as discussAvailability from "./discuss/availability.ts";
import * as discussEvents from "./discuss/events.ts";
import * as discussFiles from "./discuss/files.ts";
import * as discussInteractions from "./discuss/interactions.ts";
import * as discussMessages from "./discuss/messages.ts";
import * as discussPreferences from "./discuss/preferences.ts";
import * as discussReadState from "./discuss/read-state.ts";
import * as references from "./discuss/references.ts";
import * as reminders from "./discuss/reminders.ts";
import * as discussRuns from "./discuss/runs.ts";
import * as specialistRuns from "./discuss/specialist-runs.ts";
import * as discussTurns from "./discuss/turns.ts";
import * as discussUploads from "./discuss/uploads.ts";
import * as discussVoice from "./discuss/voice.ts";
import * as documentAttachments from "./documents/attachments.ts";
import * as documentContent from "./documents/content/content.ts";
import * as documentRevisions from "./documents/content/revisions.ts";
import * as documents from "./documents/documents.ts";
import * as documentLinks from "./documents/links/links.ts";
import * as documentPublication from "./documents/publication/publication.ts";
import * as trashDocuments from "./documents/trash.ts";
import * as homeWork from "./home/work.ts";
import * as emailChange from "./identity/email-change.ts";
import * as identities from "./identity/identities.ts";
import * as links from "./identity/links.ts";
import * as passkeys from "./identity/passkeys.ts";
import * as providers from "./identity/providers.ts";
import * as reauthentication from "./identity/reauthentication.ts";
import * as recovery from "./identity/recovery.ts";
import * as secondFactor from "./identity/second-factor.ts";
import * as sessions from "./identity/sessions.ts";
import { relyingPartyOf } from "./identity/webauthn.ts";
import * as inbox from "./inbox/inbox.ts";
import * as integrationActions from "./integrations/actions.ts";
import * as integrationAuthorizations from "./integrations/authorizations.ts";
import * as integrationBindings from "./integrations/bindings.ts";
import * as integrationCatalog from "./integrations/catalog.ts";
import * as integrationConnectors from "./integrations/connectors.ts";
import * as integrationDeliveries from "./integrations/deliveries.ts";
import * as integrationErrtrack from "./integrations/errtrack.ts";
import * as integrationIdentities from "./integrations/identities.ts";
import * as integrationInstallations from "./integrations/installations.ts";
import * as integrationRequests from "./integrations/requests.ts";
import * as richEntities from "./integrations/rich-entities.ts";
import * as integrationRoundtrips from "./integrations/roundtrips.ts";
import * as integrationSubscriptions from "./integrations/subscriptions.ts";
import * as integrationWebhooks from "./integrations/webhooks.ts";
import type { Implementation } from "./kernel/implement.ts";
import * as knowledgeAnswer from "./knowledge/answer.ts";
import * as knowledgeSearch from "./knowledge/search.ts";
import * as knowledgeSettings from "./knowledge/settings.ts";
import * as labelAssignments from "./labels/assignments.ts";
import * as labelDefinitions from "./labels/definitions.ts";
import * as labelOverrides from "./labels/overrides.ts";
import * as lifecycleDefinitions from "./lifecycle/definitions.ts";
import * as lifecycleMappings from "./lifecycle/mappings.ts";
import * as lifecycleMigrations from "./lifecycle/migrations.ts";
import * as milestoneLifecycle from "./lifecycle/milestone-lifecycle.ts";
import * as evidence from "./native/evidence.ts";
import * as taskResultSets from "./native/result-sets.ts";
import * as taskSavedViews from "./native/saved-views.ts";
import * as taskSelections from "./native/selections.ts";
import * as oauthConsent from "./oauth/consent.ts";
import * as developer from "./oauth/developer.ts";
import * as mcp from "./oauth/mcp.ts";
import * as mobile from "./oauth/mobile.ts";
import * as people from "./people/people.ts";
import * as completion from "./projects/completion.ts";
import * as displayPreferences from "./projects/display-preferences.ts";
import * as projectMembers from "./projects/members.ts";
import * as milestones from "./projects/milestones.ts";
import * as moveProjects from "./projects/move.ts";
import * as projectLifecycle from "./projects/project-lifecycle.ts";
import * as projectStates from "./projects/project-states.ts";
import * as projects from "./projects/projects.ts";
import * as publication from "./projects/publication.ts";
import * as shortcuts from "./projects/shortcuts.ts";
import * as statuses from "./projects/statuses.ts";
import * as realtimeBaseline from "./realtime/baseline.ts";
import * as realtimeDoor from "./realtime/door.ts";
import * as repositoryConflicts from "./repository/conflicts.ts";
import * as knowledgeRepository from "./repository/repository.ts";
import * as repositoryRuns from "./repository/runs.ts";
import * as referenceOptions from "./search/reference-options.ts";
import * as searching from "./search/search.ts";
import type { Config } from "./settings/config.ts";
import * as taskAttachments from "./tasks/attachments/attachments.ts";
import * as bulkTasks from "./tasks/bulk.ts";
import * as taskContext from "./tasks/context/context.ts";
import * as taskHistory from "./tasks/history/history.ts";
import * as board from "./tasks/lists/board.ts";
import * as workspaceTasks from "./tasks/lists/workspace-tasks.ts";
import * as memberResolve from "./tasks/member-resolve.ts";
import * as moveTasks from "./tasks/move.ts";
import * as currentWork from "./tasks/own-work/current-work.ts";
import * as taskSuggestions from "./tasks/own-work/suggestions.ts";
import * as myWork from "./tasks/own-work/work.ts";
import * as taskRelations from "./tasks/relations/relations.ts";
import * as taskSubscriptions from "./tasks/subscriptions/subscriptions.ts";
import * as tasks from "./tasks/tasks.ts";
import * as trashTasks from "./tasks/trash.ts";
import * as taskWorkflow from "./tasks/workflow.ts";
import * as timeEntries from "./time/entries.ts";
import * as projectTimeReports from "./time/project-reports.ts";
import * as timesheets from "./time/timesheets.ts";
import * as timeTracking from "./time/tracking.ts";
import * as webhookDeliveries from "./webhooks/deliveries.ts";
import * as webhookEndpoints from "./webhooks/endpoints.ts";
import * as webhookEventTypes from "./webhooks/event-types.ts";
import * as commands from "./work/commands.ts";
import * as receipts from "./work/receipts.ts";
import * as aiAccessPolicy from "./workspaces/ai-access-policy.ts";
import * as workspaceCreationOptions from "./workspaces/creation-options.ts";
import * as workspaceIcon from "./workspaces/icon.ts";
import * as invitations from "./workspaces/invitations.ts";
import * as mcpCredentials from "./workspaces/mcp-credentials.ts";
import * as members from "./workspaces/members.ts";
import * as workspaceSettings from "./workspaces/settings.ts";
import * as workspaces from "./workspaces/workspaces.ts";

export const implementations = complete(
  sessions,
  reauthentication,
  recovery,
  links,
  emailChange,
  providers,
  identities,
  secondFactor,
  passkeys,
  account,
  ownSessions,
  apiTokens,
  profilePicture,
  developerGrants,
  mcpGrants,
  oauthConsent,
  developer,
  mcp,
  mobile,
  mobileCredentials,
  push,
  workspaces,
  workspaceCreationOptions,
  workspaceSettings,
  workspaceIcon,
  aiAccessPolicy,
  knowledgeSettings,
  knowledgeSearch,
  knowledgeAnswer,
  knowledgeRepository,
  repositoryRuns,
  repositoryConflicts,
  mcpCredentials,
  members,
  invitations,
  projects,
  moveProjects,
  projectMembers,
  completion,
  publication,
  shortcuts,
  displayPreferences,
  notificationPreferences,
  inbox,
  integrationActions,
  integrationAuthorizations,
  integrationBindings,
  integrationCatalog,
  integrationDeliveries,
  integrationConnectors,
  integrationErrtrack,
  integrationIdentities,
  integrationInstallations,
  integrationRequests,
  integrationRoundtrips,
  integrationSubscriptions,
  richEntities,
  integrationWebhooks,
  statuses,
  projectStates,
  projectLifecycle,
  lifecycleDefinitions,
  lifecycleMappings,
  lifecycleMigrations,
  tasks,
  taskRelations,
  taskSubscriptions,
  memberResolve,
  trashTasks,
  collaborationSessions,
  board,
  workspaceTasks,
  myWork,
  currentWork,
  taskSuggestions,
  searching,
  referenceOptions,
  moveTasks,
  taskHistory,
  bulkTasks,
  taskActivity,
  comments,
  discussFiles,
  discussPreferences,
  references,
  reminders,
  specialistRuns,
  discussUploads,
  discussVoice,
  documents,
  documentContent,
  documentRevisions,
  trashDocuments,
  documentAttachments,
  documentLinks,
  documentPublication,
  attachmentUploads,
  attachments,
  taskAttachments,
  labelDefinitions,
  labelOverrides,
  labelAssignments,
  activity,
  people,
  activityGroups,
  personActivity,
  milestones,
  milestoneLifecycle,
  projectActivity,
  projectOverview,
  timeTracking,
  timeEntries,
  projectTimeReports,
  timesheets,
  taskWorkflow,
  taskContext,
  receipts,
  documentPatches,
  changeSets,
  commands,
  evidence,
  taskResultSets,
  taskSelections,
  taskSavedViews,
  discussAvailability,
  discussEvents,
  discussInteractions,
  discussMessages,
  discussReadState,
  discussRuns,
  discussTurns,
  agents,
  agentDefinitions,
  agentStudio,
  agentProfile,
  agentRequests,
  agentUsage,
  agentRuns,
  agentActions,
  agentOutputs,
  agentDelegations,
  billingSettings,
  billingCheckouts,
  billingDeliveries,
  webhookEndpoints,
  webhookDeliveries,
  webhookEventTypes,
  realtimeBaseline,
  realtimeDoor,
  homeWork,
  cliProjects,
  cliTasks,
  cliWorkflow,
  cliContext,
  cliFind,
  cliDocuments,
);

/** What the configuration does not offer is not there, as any path that nobody serves: 404. */
export function offered(all: readonly Implementation[], config: Pick<Config, "passkeys" | "publicUrl">) {
  if (config.passkeys && relyingPartyOf(config.publicUrl)) return all;
  const withheld = new Set<unknown>(Object.values(passkeys));
  return all.filter((implementation) => !withheld.has(implementation));
}

function complete(...modules: Record<string, unknown>[]): Implementation[] {
  const found = new Map<string, Implementation>();
  for (const value of modules.flatMap((module) => Object.values(module))) {
    if (!(value !== null && typeof value === "object" && "operation" in value)) continue;
    const implementation = value as Implementation;
    const { id } = implementation.operation;
    if (found.has(id)) throw new Error(`operation ${id} is implemented twice`);
    found.set(id, implementation);
  }
  const missing = [...operations.keys()].filter((id) => !found.has(id));
  if (missing.length > 0) throw new Error(`operations without an implementation: ${missing.join(", ")}`);
  return [...found.values()];
}
