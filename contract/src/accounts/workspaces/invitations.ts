// Invitations let a person who never was a member join a Workspace. Each is for one address, expires after seven days
// and is used once.
import Type from "typebox";
import { list, op, P, S } from "../../kit.ts";
import { Email, Id, Name, nullable, object, resource, single, Timestamp } from "../../types.ts";
import { Workspace } from "./workspaces.ts";

const InvitedRole = Type.Enum(["admin", "member", "viewer"]);
export const InvitationRow = object({
  ...resource,
  email: Type.String({ description: "Normalised to lower case." }),
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
        "Token that accepts the invitation, like the different one in the mail's link; " +
        "only the token in the mail proves the address. Shown only here.",
    }),
  }),
);

export const listInvitations = list("GET /workspaces/{workspace_id}/invitations", "List the invitations", {
  description: "Lists invitations in every state, newest first, for members who manage members.",
  auth: [S],
  include: ["people"],
  items: InvitationRow,
  errors: ["forbidden"],
});

export const createInvitation = op("POST /workspaces/{workspace_id}/invitations", "Invite an address", {
  description:
    "Sends a mail with a link and answers once a mail server has accepted it. " +
    "A retry with the same Idempotency-Key gets the same answer, token included. " +
    "A former member can be invited; a suspended member is reactivated with PATCH instead. " +
    "Inviting an admin needs a recent authentication.",
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
    description: "Invalidates its link. Revoking it again changes nothing.",
    auth: [S],
    errors: ["invitation_not_pending"],
  },
);

export const resendInvitation = op(
  "POST /workspaces/{workspace_id}/invitations/{invitation_id}/resend",
  "Send an invitation again",
  {
    description:
      "Replaces a pending or expired invitation with a new one for the same address and role, valid for seven " +
      "days. The previous invitation is revoked once the new mail has been accepted. " +
      "Resending the invitation of an admin needs a recent authentication.",
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
  workspace_name: nullable({
    ...Name(100),
    description: "null if the name could be mistaken for a link or an address.",
  }),
  inviter_name: nullable({
    ...Name(100),
    description:
      "null if the name could be mistaken for a link or an address, or if the inviter's address is not proved.",
  }),
  email: Type.String({ description: "Invited address: only the account with this address can accept." }),
  role: InvitedRole,
  expires_at: Timestamp,
});

export const readInvitation = op("POST /invitations/read", "Read what an invitation token offers", {
  description:
    "Anyone with a valid invitation token can read it, signed in or not. A token that is unknown, revoked, " +
    "replaced or used is refused with 404.",
  auth: [P],
  unnamed: "the invitation page needs it: a person sees who invites them to which Workspace before they sign in",
  tag: "Workspaces",
  limit: "token",
  quiet: "The operation changes nothing.",
  body: object({ token }),
  example,
  returns: InvitationOffer,
  errors: ["not_found", "invitation_expired"],
});

export const acceptInvitation = op("POST /invitations/accept", "Accept an invitation", {
  description:
    "Only the account with the invited address can accept. Accepting verifies the address; " +
    "the token from the mail also proves it. Returns the Workspace and does not switch the session (PUT " +
    "/auth/session/workspace does). A former member rejoins with the invited role; " +
    "an active member does not change. Accepting again returns the same Workspace while you are an " +
    "active member.",
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
