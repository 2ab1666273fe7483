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
  timezone: nullable(Type.String({ description: "Time zone; null for people who no longer belong to the Workspace." })),
  has_picture: Type.Boolean(),
  picture_url: PictureUrl,
  joined_at: Timestamp,
});
export const Person = single(PersonRow);

export const getPerson = op("GET /workspaces/{workspace_id}/people/{username}", "Read the profile of a person", {
  description:
    "Returns the profile of a current or former member, who remains the author of past work. People who were only invited answer 404.",
  auth: [S, M],
  returns: Person,
});

export const getPersonPictureContent = op(
  "GET /workspaces/{workspace_id}/people/{user_id}/profile-picture/content",
  "Read the profile picture of a person",
  {
    description:
      "Redirects to object storage with a URL that is valid for five minutes. Fetch it without your credential.",
    auth: [S, M],
    redirect: true,
  },
);
