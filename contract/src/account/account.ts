// The signed-in person's own account.
import Type from "typebox";
import { M, op, S } from "../kit.ts";
import { Email, Line, Name, nullable, object, resource, single } from "../types.ts";

const AccountRow = object({
  ...resource,
  email: Email,
  email_verified: Type.Boolean(),
  display_name: Name(100),
  username: Type.String(),
  timezone: Line(100),
  locale: Line(35),
  has_password: Type.Boolean(),
  mfa_enabled: Type.Boolean(),
  workspace_id: nullable(Type.String({ format: "uuid", description: "The Workspace that the session is scoped to." })),
});
export const Account = single(AccountRow);

export const getMe = op("GET /me", "Read your own account", { auth: [S, M], returns: Account });
