// Events of sign-in, sign-out and credentials.
import { event } from "../../platform/kernel/events.ts";

export const accountRegistered = event("account.registered");
export const signedIn = event("account.signed_in");
export const reauthenticated = event("account.reauthenticated");
export const signedOut = event("account.signed_out");
export const sessionWorkspaceChanged = event("account.session_workspace_changed");
export const passkeyCreated = event("passkey.created");
export const passkeyUpdated = event("passkey.updated");
export const passkeyDeleted = event("passkey.deleted");
export const passkeyDisabled = event("passkey.disabled");
export const signInChallenged = event("account.sign_in_challenged");
export const secondFactorFailed = event("account.second_factor_failed");
export const secondFactorSetUp = event("account.second_factor_set_up");
export const secondFactorEnabled = event("account.second_factor_enabled");
export const secondFactorRemoved = event("account.second_factor_removed");
export const recoveryCodeUsed = event("account.recovery_code_used");
export const recoveryCodesReplaced = event("account.recovery_codes_replaced");
export const emailVerified = event("account.email_verified");
export const emailChangeRequested = event("account.email_change_requested");
export const emailChanged = event("account.email_changed");
export const passwordReset = event("account.password_reset");
export const passwordChanged = event("account.password_changed");
export const identityLinked = event("identity.linked");
export const identityRemoved = event("identity.removed");
export const accountReclaimed = event("account.reclaimed");
