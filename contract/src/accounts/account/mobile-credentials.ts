// The native applications that are signed in to the caller's account.
import { list, op, S } from "../../kit.ts";
import { Name, nullable, object, resource, Timestamp } from "../../types.ts";

export const MobileCredential = object({
  ...resource,
  client_name: Name(100),
  device_name: nullable(Name(100)),
  last_used_at: { ...Timestamp, description: "Time of the last token refresh, every 15 minutes of use." },
  expires_at: { ...Timestamp, description: "60 days after the last use." },
});

export const listMobileCredentials = list(
  "GET /me/mobile-credentials",
  "List the native applications that are signed in, newest first",
  { auth: [S], items: MobileCredential },
);

export const deleteMobileCredentials = op(
  "DELETE /me/mobile-credentials",
  "Sign out every native application at once",
  { auth: [S] },
);

export const deleteMobileCredential = op(
  "DELETE /me/mobile-credentials/{credential_id}",
  "Sign out a native application at once",
  {
    description:
      "Revokes the access tokens and refresh tokens of the application at once. Repeating the request also returns 204.",
    auth: [S],
  },
);
