// Facts about getting in and out.
import { event } from "../kernel/events.ts";

export const accountRegistered = event("account.registered");
export const signedIn = event("account.signed_in");
export const signedOut = event("account.signed_out");
export const sessionWorkspaceChanged = event("account.session_workspace_changed");
