// Events about resources that an account owns.
import { event } from "../../platform/kernel/events.ts";

export const apiTokenCreated = event("api_token.created");
export const apiTokenRevoked = event("api_token.revoked");
export const mobileCredentialRevoked = event("mobile_credential.revoked");
export const pushEndpointRegistered = event("push_endpoint.registered");
export const pushEndpointRemoved = event("push_endpoint.removed");
export const accountUpdated = event("account.updated");
export const interfaceLanguageChanged = event("account.interface_language_changed");
export const sessionRevoked = event("account.session_revoked");
export const otherSessionsRevoked = event("account.other_sessions_revoked");
export const oauthGrantRevoked = event("oauth_grant.revoked");
export const profilePictureReplaced = event("account.picture_replaced");
export const profilePictureRemoved = event("account.picture_removed");
export const notificationPreferenceChanged = event("notification_preference.changed");
