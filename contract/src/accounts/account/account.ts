// The signed-in person's own account.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import {
  Capabilities,
  Email,
  Id,
  Language,
  Line,
  Name,
  nullable,
  object,
  patch,
  Role,
  resource,
  single,
  TimeZone,
  Username,
  WeekStart,
} from "../../types.ts";

export const AccountRow = object({
  ...resource,
  email: Email,
  email_verified: Type.Boolean(),
  email_proved: Type.Boolean({
    description:
      "Whether the account has proved the address, by a link in its mailbox or by a provider. " +
      "Accepting an invitation with the token of an answer verifies the address but does not prove it.",
  }),
  display_name: Name(100),
  username: Type.String(),
  timezone: Line(100),
  locale: Line(35),
  week_start: WeekStart,
  interface_language: {
    ...Line(35),
    description: "Language of this session if one was chosen for it, otherwise the locale.",
  },
  has_password: Type.Boolean(),
  has_picture: Type.Boolean(),
  mfa_enabled: Type.Boolean(),
  workspace_id: {
    ...nullable(Id),
    description: "Workspace of the session, or the one that a native client names in X-Svc-Workspace-ID.",
  },
  membership_id: {
    ...nullable(Id),
    description: "Your membership in that Workspace; null if you are not an active member of it.",
  },
  actor_id: {
    ...nullable(Id),
    description: "Your Actor in that Workspace, as in assignee_actor_id and similar fields.",
  },
  role: nullable(Role),
});
export const Account = single(
  object({
    ...AccountRow.properties,
    workspace_capabilities: {
      ...nullable(Capabilities),
      description: "Your capabilities in that Workspace with this credential, as far as your role decides them.",
    },
  }),
);

export const getMe = op("GET /me", "Read your own account", {
  description:
    "Returns the account, and your identity in the Workspace of the session. A native client names a Workspace in " +
    "X-Svc-Workspace-ID. Without one, or with a Workspace that is not yours or does not exist, " +
    "the fields of the Workspace are null.",
  auth: [S, M],
  workspaceHeader: true,
  returns: Account,
});

export const updateMe = op("PATCH /me", "Change your own account", {
  description:
    "Changes the profile fields of the account. POST /me/email-change changes the address, " +
    "POST /me/profile-picture the picture.",
  auth: [S, M],
  body: patch({
    display_name: Name(100),
    username: Username,
    timezone: TimeZone,
    locale: Language,
    week_start: WeekStart,
  }),
  example: { display_name: "Ada", timezone: "Europe/London" },
  returns: Account,
  errors: ["username_taken"],
});

export const replaceInterfaceLanguage = op(
  "PUT /me/interface-language/session",
  "Choose the language of this session's interface",
  {
    description: "Sets the language of this session or native client only; null restores the account's locale.",
    auth: [S, M],
    body: object({ language: nullable(Language) }),
    example: { language: "de" },
    returns: object({ interface_language: { ...Line(35), description: "The language in effect now." } }),
  },
);
