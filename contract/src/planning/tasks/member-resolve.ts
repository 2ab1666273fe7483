// Finds people by the beginning of a name, for a mention or an assignment.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, Name, nullable, object, PictureUrl, Role, Title } from "../../types.ts";

export const MOST_RESOLVED = 20;

export const ResolvedMember = object({
  kind: Type.Enum(["human", "agent"], { description: "An Agent can be assigned and mentioned, but is not a member." }),
  actor_id: Id,
  user_id: { ...nullable(Id), description: "User id; null for an Agent." },
  username: Type.String(),
  display_name: Name(100),
  role: { ...nullable(Role), description: "Role; null for an Agent." },
  has_picture: Type.Boolean(),
  picture_url: PictureUrl,
});
export const ResolvedMembers = object({ items: Type.Array(ResolvedMember, { maxItems: MOST_RESOLVED }) });

export const resolveMembers = op("GET /workspaces/{workspace_id}/members/resolve", "Find members by name", {
  description:
    "Finds active members, and Agents that you see, whose username or display name, or a later word of " +
    "it, begins with q, regardless of case and accents; a leading @ is ignored. An exact username " +
    "comes first, then usernames, then names, each in order; at most 20. With project_id, only those " +
    "who see that Project, and Agents that are not narrowed to others; in a private Project with more " +
    "than 200 members, the search covers its first 200 and the first 200 matching names.",
  auth: [S],
  query: object({ q: Title(100), project_id: Type.Optional(Id) }),
  returns: ResolvedMembers,
  errors: ["invalid_reference"],
});
