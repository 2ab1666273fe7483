// The people of a Workspace as their colleagues see them.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import { Id, Name, nullable, object, PictureUrl, Role, single, Timestamp } from "../../types.ts";

const PersonRow = object({
  user_id: Id,
  actor_id: Id,
  username: Type.String(),
  display_name: Name(100),
  role: Role,
  state: Type.Enum(["active", "suspended", "removed", "left"]),
  timezone: nullable(Type.String({ description: "Of those who belong to the Workspace now." })),
  has_picture: Type.Boolean(),
  picture_url: PictureUrl,
  joined_at: Timestamp,
});
export const Person = single(PersonRow);

export const getPerson = op("GET /workspaces/{workspace_id}/people/{username}", "Read the profile of a person", {
  description:
    "Whoever belongs to the Workspace, or did: what somebody has done stays theirs. Who was only invited is not found.",
  auth: [S, M],
  returns: Person,
});

export const getPersonPictureContent = op(
  "GET /workspaces/{workspace_id}/people/{user_id}/profile-picture/content",
  "See the profile picture of a person",
  {
    description: "Leads to object storage, for five minutes. Fetch it there without your credential.",
    auth: [S, M],
    redirect: true,
  },
);
