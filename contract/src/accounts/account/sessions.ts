// The browser sessions of the caller's account: list and revoke them.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, Timestamp } from "../../types.ts";

export const Session = object({
  id: Id,
  current: Type.Boolean({ description: "The session that is asking." }),
  workspace_id: nullable(Type.String({ format: "uuid", description: "The Workspace that it is scoped to." })),
  user_agent: nullable(
    Type.String({ description: "Of the browser that signed in, as it told; at most 256 characters." }),
  ),
  address_prefix: nullable(
    Type.String({ description: "Network that it signed in from: 24 bits of an IPv4 address, 48 of an IPv6 address." }),
  ),
  created_at: Timestamp,
  last_used_at: { ...Timestamp, description: "To within five minutes." },
  expires_at: { ...Timestamp, description: "At the latest; 7 days without use end it earlier." },
});

export const listSessions = list("GET /me/sessions", "List your live sessions, newest first", {
  auth: [S],
  items: Session,
});

export const deleteOtherSessions = op("DELETE /me/sessions", "End all your sessions except this one", { auth: [S] });

export const deleteSession = op("DELETE /me/sessions/{session_id}", "End one of your sessions", {
  description: "Ending the current one clears both cookies. Repeating it answers 204 as well.",
  auth: [S],
});
