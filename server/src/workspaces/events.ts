// Facts about Workspaces.
import { event } from "../kernel/events.ts";

export const workspaceCreated = event("workspace.created");
