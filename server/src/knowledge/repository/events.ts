// Events of the knowledge repository. Changes that a run makes to Documents have events of their own.
import { event } from "../../platform/kernel/events.ts";

export const repositoryConnected = event("workspace.knowledge_repository_connected");
export const repositoryUpdated = event("workspace.knowledge_repository_updated");
export const repositoryDisconnected = event("workspace.knowledge_repository_disconnected");
export const repositoryRunRequested = event("workspace.knowledge_repository_run_requested");
export const repositoryConflictResolved = event("document.repository_conflict_resolved");
