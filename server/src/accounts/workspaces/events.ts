// Events of Workspaces.
import { event } from "../../platform/kernel/events.ts";

export const workspaceCreated = event("workspace.created");
export const workspaceUpdated = event("workspace.updated");
export const workspaceArchived = event("workspace.archived");
export const workspaceRestored = event("workspace.restored");
export const workspaceIconReplaced = event("workspace.icon_replaced");
export const workspaceIconRemoved = event("workspace.icon_removed");
export const workspaceSettingsUpdated = event("workspace.settings_updated");
export const aiAccessPolicyReplaced = event("workspace.ai_access_policy_replaced");
export const mcpServiceCredentialCreated = event("mcp_service_credential.created");
export const mcpServiceCredentialRevoked = event("mcp_service_credential.revoked");

export const memberJoined = event("member.joined");
export const memberUpdated = event("member.updated");
export const memberRemoved = event("member.removed");
export const memberRestored = event("member.restored");
export const invitationCreated = event("invitation.created");
export const invitationResent = event("invitation.resent");
export const invitationRevoked = event("invitation.revoked");
export const invitationAccepted = event("invitation.accepted");
/** Recorded for the accepting account, with whether its mailbox proved the address. */
export const addressVerified = event("account.email_verified");
