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
      "Whether its mailbox, or a provider, has shown that the address is this account's. Accepting an invitation with the token of an answer verifies the address and proves nothing.",
  }),
  display_name: Name(100),
  username: Type.String(),
  timezone: Line(100),
  locale: Line(35),
  week_start: WeekStart,
  interface_language: {
    ...Line(35),
    description: "The language of this session, where one was chosen for it, and else the locale.",
  },
  has_password: Type.Boolean(),
  has_picture: Type.Boolean(),
  mfa_enabled: Type.Boolean(),
  workspace_id: {
    ...nullable(Id),
    description: "The Workspace that the session is scoped to, or that a native client names in X-Svc-Workspace-ID.",
  },
  membership_id: {
    ...nullable(Id),
    description: "Yours in that Workspace; null where you are no active member of it.",
  },
  actor_id: { ...nullable(Id), description: "As whom you act there: what assignee_actor_id and its like name." },
  role: nullable(Role),
});
export const Account = single(
  object({
    ...AccountRow.properties,
    workspace_capabilities: {
      ...nullable(Capabilities),
      description: "What you may do in that Workspace with this credential, as far as your role decides.",
    },
  }),
);

export const getMe = op("GET /me", "Read your own account", {
  description:
    "With who you are in the Workspace of the session. A native client names one in X-Svc-Workspace-ID, or none: then these fields are null, as they are for a Workspace that is not yours or does not exist.",
  auth: [S, M],
  workspaceHeader: true,
  returns: Account,
});

export const updateMe = op("PATCH /me", "Change your own account", {
  description: "The address is changed with POST /me/email-change, the picture with POST /me/profile-picture.",
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
    description: "For this session, or this native client, only; null goes back to the account's locale.",
    auth: [S, M],
    body: object({ language: nullable(Language) }),
    example: { language: "de" },
    returns: object({ interface_language: { ...Line(35), description: "The language in effect now." } }),
  },
);
