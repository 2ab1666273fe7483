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
      description:
        "Address of the person, visible to those who manage members once the person has proved it; otherwise null.",
    }),
  ),
});
export const Member = single(MemberRow);

export const listMembers = list("GET /workspaces/{workspace_id}/members", "List the members of a Workspace", {
  description:
    "Lists members by the time they joined, including former and suspended ones unless `state` says otherwise. " +
    "With `q` it lists active members only.",
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
    "Restores a member who was removed or has left; invite others instead. The member gets the given role, " +
    "otherwise the previous one, and keeps the same Actor; earlier sessions and tokens stay invalid. " +
    "An active member is returned unchanged; a suspended one is reactivated with PATCH. " +
    "Restoring an admin or owner needs a recent authentication.",
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
    "Changes the role, the state, or both. Suspension ends the member's sessions in this Workspace at once and " +
    "disables their tokens until the membership is active again. Nobody can change their own membership, " +
    "and the last active owner cannot be changed. Making somebody an admin or owner, or reactivating an admin " +
    "or owner, needs a recent authentication.",
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
    "Permanently ends the member's sessions, API tokens and OAuth grants in this Workspace. " +
    "The membership remains as removed and keeps its Actor as the author of past work. " +
    "Removing the member again changes nothing.",
  auth: [S],
  ifMatch: "optional",
  errors: ["last_owner", "self_membership_mutation"],
});
