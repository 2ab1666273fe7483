// Finds people by the beginning of a name, for a mention or an assignment.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, Name, nullable, object, PictureUrl, Role, Title } from "../../types.ts";

export const MOST_RESOLVED = 20;

export const ResolvedMember = object({
  kind: Type.Enum(["human", "agent"], { description: "An Agent can be assigned and mentioned, and is no member." }),
  actor_id: Id,
  user_id: { ...nullable(Id), description: "Null of an Agent." },
  username: Type.String(),
  display_name: Name(100),
  role: { ...nullable(Role), description: "Null of an Agent." },
  has_picture: Type.Boolean(),
  picture_url: PictureUrl,
});
export const ResolvedMembers = object({ items: Type.Array(ResolvedMember, { maxItems: MOST_RESOLVED }) });

export const resolveMembers = op("GET /workspaces/{workspace_id}/members/resolve", "Find members by name", {
  description:
    "Active members, and Agents that you see, whose username or display name, or a later word of it, " +
    "begins with q in any case, with or without accents; an @ before it is ignored. " +
    "The one with exactly this username comes first, then usernames, then names, each in order; at most 20. " +
    "With project_id only those who see that Project, and Agents that are not narrowed to others: " +
    "of a private one with more than 200 members, those among its first 200 and among the first 200 " +
    "names that fit.",
  auth: [S],
  query: object({ q: Title(100), project_id: Type.Optional(Id) }),
  returns: ResolvedMembers,
  errors: ["invalid_reference"],
});
