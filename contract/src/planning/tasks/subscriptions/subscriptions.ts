// Followers of a Task. People follow it themselves, or the creator of the Task names them. Creating a Task, being its
// assignee, commenting on it and being mentioned in it follow it automatically.
import Type from "typebox";
import { C, list, M, op, S, T } from "../../../kit.ts";
import { Id, Name, nullable, object, PictureUrl, Revision, Timestamp } from "../../../types.ts";
import { includeInList, TaskRow } from "../tasks.ts";

const Reasons = Type.Array(Type.Enum(["explicit", "creator", "assignee", "commenter", "mentioned"]), {
  description:
    "Reasons to follow the Task; explicit is your own choice, or that of the Task's creator. They are " +
    "listed even if you have unfollowed or muted it.",
});
const standing = {
  state: Type.Enum(["following", "muted", "none"]),
  reasons: Reasons,
};

export const TaskSubscription = object({
  task_id: Id,
  ...standing,
  revision: { ...Revision, description: '"0" until you have followed, unfollowed or muted.' },
  updated_at: nullable(Timestamp),
});

const own = { auth: [S], private: true } as const;

export const getTaskSubscription = op("GET /tasks/{task_id}/subscription", "Read whether you follow a Task", {
  ...own,
  returns: TaskSubscription,
});

export const followTask = op("PUT /tasks/{task_id}/subscription", "Follow a Task", {
  description: "Ends a mute. Following it again changes nothing.",
  ...own,
  returns: TaskSubscription,
});

export const unfollowTask = op("DELETE /tasks/{task_id}/subscription", "Stop following a Task", {
  description: "Also ends following for automatic reasons, until you follow the Task again. Ends a mute.",
  ...own,
  ifMatch: "optional",
});

export const muteTask = op("PUT /tasks/{task_id}/subscription/mute", "Mute a Task", {
  description:
    "Suppresses notifications about the Task, except when it is assigned to you or you are mentioned " +
    "in it. Keeps whether you follow it.",
  ...own,
  returns: TaskSubscription,
});

export const unmuteTask = op("DELETE /tasks/{task_id}/subscription/mute", "End the mute of a Task", {
  description: "Restores whether you followed the Task before.",
  ...own,
  ifMatch: "optional",
});

export const TaskSubscriber = object({
  actor_id: Id,
  user_id: Id,
  username: Type.String(),
  display_name: Name(100),
  picture_url: PictureUrl,
  reasons: Reasons,
});

export const listTaskSubscribers = list("GET /tasks/{task_id}/subscribers", "List who follows a Task", {
  description:
    "Lists active members who see its Project, by the time they joined the Workspace. A member's mute " +
    "is not visible to others. A page may hold fewer items than its limit, even none, while has_more " +
    "is true.",
  auth: [S],
  include: ["people"],
  items: TaskSubscriber,
});

export const SubscribedTask = object({ ...TaskRow.properties, subscription: object(standing) });

export const listSubscribedTasks = list(
  "GET /workspaces/{workspace_id}/subscribed-tasks",
  "List the Tasks that you follow, newest first",
  {
    description:
      "Lists the Tasks that you follow, or with state=muted those that you have muted. Tasks that you " +
      "can no longer see and Tasks in the trash are left out: a page may hold fewer items than its " +
      "limit, even none, while has_more is true.",
    auth: [S, M, T, C],
    query: object({ state: Type.Optional(Type.Enum(["following", "muted"])) }),
    include: includeInList,
    items: SubscribedTask,
  },
);
