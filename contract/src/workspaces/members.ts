// The people in a Workspace.
import Type from "typebox";
import { list, M, S } from "../kit.ts";
import { Id, MembershipState, Name, nullable, object, Role, resource } from "../types.ts";

export const Member = object({
  ...resource,
  user_id: Id,
  actor_id: Id,
  role: Role,
  state: MembershipState,
  display_name: nullable(Name(100)),
  username: nullable(Type.String()),
  email: nullable(Type.String({ description: "Shown to those who manage members, and null to others." })),
});

export const listMembers = list("GET /workspaces/{workspace_id}/members", "List the members of a Workspace", {
  description: "In the order in which they joined, former and suspended ones included unless `state` says otherwise.",
  auth: [S, M],
  query: object({ state: Type.Optional(MembershipState) }),
  items: Member,
});
