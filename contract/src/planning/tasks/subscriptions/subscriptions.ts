// Followers of a Task. People follow it themselves, or the creator of the Task names them. Creating a Task, being its
// assignee, commenting on it and being mentioned in it follow it automatically.
import Type from "typebox";
import { C, list, M, op, S, T } from "../../../kit.ts";
import { Id, Name, nullable, object, PictureUrl, Revision, Timestamp } from "../../../types.ts";
import { includeInList, TaskRow } from "../tasks.ts";

const Reasons = Type.Array(Type.Enum(["explicit", "creator", "assignee", "commenter", "mentioned"]), {
  description:
    "What speaks for following: explicit is your own choice, or that of whoever made the Task. " +
    "They are told also where you have unfollowed or muted.",
});
const standing = {
  state: Type.Enum(["following", "muted", "none"]),
  reasons: Reasons,
};

export const TaskSubscription = object({
  task_id: Id,
  ...standing,
  revision: { ...Revision, description: '"0" until you have decided something.' },
  updated_at: nullable(Timestamp),
});

const own = { auth: [S], private: true } as const;

export const getTaskSubscription = op("GET /tasks/{task_id}/subscription", "Read whether you follow a Task", {
  ...own,
  returns: TaskSubscription,
});

export const followTask = op("PUT /tasks/{task_id}/subscription", "Follow a Task", {
  description: "Ends a mute. Repeated it changes nothing.",
  ...own,
  returns: TaskSubscription,
});

export const unfollowTask = op("DELETE /tasks/{task_id}/subscription", "Stop following a Task", {
  description:
    "Also where you followed it without having said so, and for as long as you do not follow it again. Ends a mute.",
  ...own,
  ifMatch: "optional",
});

export const muteTask = op("PUT /tasks/{task_id}/subscription/mute", "Mute a Task", {
  description:
    "Nothing about it is told to you, except that it is assigned to you or that you are mentioned in it. " +
    "Whether you follow it is kept for later.",
  ...own,
  returns: TaskSubscription,
});

export const unmuteTask = op("DELETE /tasks/{task_id}/subscription/mute", "End the mute of a Task", {
  description: "You follow it again, or do not, as before.",
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
    "Active members who see its Project, in the order in which they joined the Workspace. " +
    "Whether somebody has muted it is told to nobody else. A page may hold fewer than its limit, also none, " +
    "while has_more is true.",
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
      "Those that you follow, or with state=muted those that you have muted. What you do not see any more and " +
      "what lies in the trash is left out: a page may hold fewer than its limit, also none, while has_more is true.",
    auth: [S, M, T, C],
    query: object({ state: Type.Optional(Type.Enum(["following", "muted"])) }),
    include: includeInList,
    items: SubscribedTask,
  },
);
