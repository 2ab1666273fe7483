// The people in a Workspace: who they are, and how a membership is changed, ended and restored.
import Type from "typebox";
import { list, M, op, S } from "../../kit.ts";
import {
  Id,
  MembershipState,
  membershipStates,
  Name,
  NameBeginning,
  nullable,
  object,
  PictureUrl,
  patch,
  Role,
  resource,
  roles,
  several,
  single,
} from "../../types.ts";

export const MemberRow = object({
  ...resource,
  user_id: Id,
  actor_id: Id,
  role: Role,
  state: MembershipState,
  display_name: nullable(Name(100)),
  username: nullable(Type.String()),
  picture_url: PictureUrl,
  email: nullable(
    Type.String({
      description: "Shown to those who manage members, once it is proved to be this person's; else null.",
    }),
  ),
});
export const Member = single(MemberRow);

export const listMembers = list("GET /workspaces/{workspace_id}/members", "List the members of a Workspace", {
  description:
    "In the order in which they joined, former and suspended ones included unless `state` says otherwise. With `q` active ones only.",
  auth: [S, M],
  include: ["people"],
  query: object({
    q: Type.Optional(NameBeginning),
    role: Type.Optional(several({ of: roles })),
    state: Type.Optional(several({ of: membershipStates })),
  }),
  items: MemberRow,
});

export const restoreMember = op("POST /workspaces/{workspace_id}/members", "Restore a former member", {
  description:
    "For somebody who was removed or has left; others are invited. They get the role that you name, or else the one they had. The same Actor is theirs again; sessions and tokens of that time stay ended. For an active member nothing changes and the membership is the answer; a suspended one is reactivated with PATCH. Restoring an admin or owner needs a recent authentication.",
  auth: [S],
  status: 201,
  creates: "/workspaces/{workspace_id}/members/{id}",
  body: object({ user_id: Id, role: Type.Optional(Role) }),
  example: { user_id: "01980000-0000-7000-8000-000000000001" },
  returns: Member,
  errors: [
    "recent_authentication_required",
    "plan_limit",
    "invalid_reference",
    "membership_state_conflict",
    "self_membership_mutation",
  ],
});

export const updateMember = op("PATCH /workspaces/{workspace_id}/members/{member_id}", "Change a role, or suspend", {
  description:
    "The role, the state, or both. A suspended member's sessions in this Workspace end at once, and their tokens stop until the membership is active again. Nobody changes their own membership, and the last active owner stays one. Making somebody an admin or owner, or a suspended one active again, needs a recent authentication.",
  auth: [S],
  ifMatch: "required",
  body: patch({ role: Role, state: Type.Enum(["active", "suspended"]) }),
  example: { role: "admin" },
  returns: Member,
  errors: [
    "recent_authentication_required",
    "plan_limit",
    "last_owner",
    "membership_state_conflict",
    "self_membership_mutation",
  ],
});

export const removeMember = op("DELETE /workspaces/{workspace_id}/members/{member_id}", "Remove a member", {
  description:
    "Ends their sessions, API tokens and OAuth grants in this Workspace for good. The membership stays as removed and keeps its Actor, so that past work stays theirs. Removing somebody again changes nothing.",
  auth: [S],
  ifMatch: "optional",
  errors: ["last_owner", "self_membership_mutation"],
});
