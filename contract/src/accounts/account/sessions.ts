// The browser sessions of the caller's account: list and revoke them.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, Timestamp } from "../../types.ts";

export const Session = object({
  id: Id,
  current: Type.Boolean({ description: "Whether this is the session of the request." }),
  workspace_id: nullable(Type.String({ format: "uuid", description: "The Workspace that the session is scoped to." })),
  user_agent: nullable(Type.String({ description: "User-Agent of the browser at sign-in, at most 256 characters." })),
  address_prefix: nullable(
    Type.String({ description: "Network of the sign-in: 24 bits of an IPv4 address, 48 bits of an IPv6 address." }),
  ),
  created_at: Timestamp,
  last_used_at: { ...Timestamp, description: "Time of the last use, accurate to five minutes." },
  expires_at: { ...Timestamp, description: "Latest end of the session; 7 days without use end it earlier." },
});

export const listSessions = list("GET /me/sessions", "List your live sessions, newest first", {
  auth: [S],
  items: Session,
});

export const deleteOtherSessions = op("DELETE /me/sessions", "End all your sessions except this one", { auth: [S] });

export const deleteSession = op("DELETE /me/sessions/{session_id}", "End one of your sessions", {
  description: "Ending the current session clears both cookies. Ending a session again also returns 204.",
  auth: [S],
});
