// Invitations let a person who never was a member join a Workspace. Each is for one address, expires after seven days
// and is used once.
import Type from "typebox";
import { list, op, P, S } from "../../kit.ts";
import { Email, Id, Name, nullable, object, resource, single, Timestamp } from "../../types.ts";
import { Workspace } from "./workspaces.ts";

const InvitedRole = Type.Enum(["admin", "member", "viewer"]);
export const InvitationRow = object({
  ...resource,
  email: Type.String({ description: "Normalised: in lower case." }),
  role: InvitedRole,
  state: Type.Enum(["pending", "accepted", "expired", "revoked"]),
  expires_at: Timestamp,
  invited_by_actor_id: Id,
  accepted_by_user_id: nullable(Id),
});
export const NewInvitation = single(
  object({
    ...InvitationRow.properties,
    token: Type.String({
      description:
        "Good for the same as the one in the mail's link, which is another: only that one proves the address. Shown here and never again.",
    }),
  }),
);

export const listInvitations = list("GET /workspaces/{workspace_id}/invitations", "List the invitations", {
  description: "Newest first, in every state, for those who manage members.",
  auth: [S],
  include: ["people"],
  items: InvitationRow,
  errors: ["forbidden"],
});

export const createInvitation = op("POST /workspaces/{workspace_id}/invitations", "Invite an address", {
  description:
    "Sends a mail with a link and answers when a mail server has accepted it. A repetition with the same Idempotency-Key gets the same answer, token included. Somebody who was a member before can be invited too; one who is suspended is reactivated with PATCH instead. Inviting an admin needs a recent authentication.",
  auth: [S],
  status: 201,
  creates: "/workspaces/{workspace_id}/invitations/{id}",
  limit: "mail",
  secret: true,
  body: object({ email: Email, role: InvitedRole }),
  example: { email: "grace@example.com", role: "member" },
  returns: NewInvitation,
  errors: [
    "recent_authentication_required",
    "plan_limit",
    "invitation_pending",
    "already_member",
    "delivery_unavailable",
  ],
});

export const revokeInvitation = op(
  "DELETE /workspaces/{workspace_id}/invitations/{invitation_id}",
  "Revoke a pending invitation",
  {
    description: "Its link stops working. Revoking again changes nothing.",
    auth: [S],
    errors: ["invitation_not_pending"],
  },
);

export const resendInvitation = op(
  "POST /workspaces/{workspace_id}/invitations/{invitation_id}/resend",
  "Send an invitation again",
  {
    description:
      "For one that is pending or has expired: a new invitation with the same address and role, good for another seven days, takes its place. The former one is then revoked, and not before the new mail was accepted. That of an admin needs a recent authentication.",
    auth: [S],
    status: 201,
    creates: "/workspaces/{workspace_id}/invitations/{id}",
    limit: "mail",
    secret: true,
    idempotencyKey: "required",
    returns: NewInvitation,
    errors: [
      "recent_authentication_required",
      "plan_limit",
      "invitation_not_pending",
      "invitation_pending",
      "already_member",
      "delivery_unavailable",
    ],
  },
);

const token = Type.String({ minLength: 1, maxLength: 200 });
const example = { token: "svc_inv_4pW0ZQm8yTjH2cVx6RkLb1sNf9uEoA3d3sVb0K" };

export const InvitationOffer = object({
  workspace_name: nullable({ ...Name(100), description: "null where it could pass for a link or an address." }),
  inviter_name: nullable({
    ...Name(100),
    description: "null where it could, too, and where the address of whoever has invited is not proved.",
  }),
  email: Type.String({ description: "The invited address: only the account that has it can accept." }),
  role: InvitedRole,
  expires_at: Timestamp,
});

export const readInvitation = op("POST /invitations/read", "Read what a token of an invitation offers", {
  description:
    "For whoever has a token of an invitation that can be accepted, signed in or not. It changes nothing. A token that is unknown, revoked, replaced or used is 404.",
  auth: [P],
  unnamed: "the page of an invitation needs it: a person learns who invites them to what before they sign in",
  tag: "Workspaces",
  limit: "token",
  quiet: "Nothing changes.",
  body: object({ token }),
  example,
  returns: InvitationOffer,
  errors: ["not_found", "invitation_expired"],
});

export const acceptInvitation = op("POST /invitations/accept", "Accept an invitation", {
  description:
    "By the account that has the invited address, which thereby is verified; with the token of the mail it is proved, too. The answer is the Workspace; the session stays where it is (PUT /auth/session/workspace). A former member comes back with the invited role; an active one stays as they are. Accepting again answers the same Workspace again, as long as you are an active member.",
  auth: [S],
  status: 201,
  creates: "/workspaces/{id}",
  body: object({ token }),
  example,
  returns: Workspace,
  errors: [
    "not_found",
    "invitation_recipient_mismatch",
    "plan_limit",
    "invitation_expired",
    "membership_state_conflict",
  ],
});
