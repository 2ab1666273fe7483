// Notification preferences of a member in one Workspace. Each category is switched independently, per channel.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import { notificationCategories, nullable, object, patch, Revision, Timestamp } from "../../types.ts";

const ways = { in_app: Type.Boolean(), push: Type.Boolean(), email: Type.Boolean() };
export const NotificationPreference = object({
  category: Type.Enum([...notificationCategories]),
  ...ways,
  revision: Revision,
  updated_at: nullable(Timestamp),
});

export const listNotificationPreferences = op(
  "GET /workspaces/{workspace_id}/notification-preferences",
  "Read your notification preferences",
  {
    description:
      "Returns every category with your preferences in this Workspace. Until you change a category, it has the defaults at revision 0.",
    auth: [S, M],
    private: true,
    returns: object({ items: Type.Array(NotificationPreference) }),
  },
);

export const updateNotificationPreference = op(
  "PATCH /workspaces/{workspace_id}/notification-preferences/{category}",
  "Change a notification preference",
  {
    auth: [S, M],
    private: true,
    ifMatch: "required",
    body: patch(ways),
    example: { email: false },
    returns: NotificationPreference,
  },
);
