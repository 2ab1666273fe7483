// Row types of the store by kind, as the API returns them. To add a kind, declare it here and add its refresh function
// to its domain (see domain.ts).
import type { Operations } from "@svc/client";

type ItemOf<Name extends keyof Operations> = Operations[Name] extends (...args: never[]) => infer Answer
  ? Answer extends AsyncIterable<infer Item>
    ? Item
    : Awaited<Answer>
  : never;
type Capabilities = ItemOf<"getTask">["capabilities"];

/**
 * Row of a list. Description and capabilities come only from reading the single Task, and are dropped when it changes.
 */
export type Task = Omit<ItemOf<"listProjectTasks">, "description_excerpt"> & {
  description_excerpt?: string;
  capabilities?: Capabilities;
};
export type Project = ItemOf<"listProjects"> & { capabilities?: Capabilities };
export type Status = Omit<ItemOf<"listProjectStatuses">, "created_at" | "updated_at">;
/** Stage of a Project, as a Status is of a Task. */
export type ProjectState = Omit<ItemOf<"listProjectStates">, "created_at" | "updated_at">;
/** Order of the Projects: one row whose id is that of the Workspace. */
export interface ProjectOrder {
  id: string;
  ids: readonly string[];
}
/** The member's pinned Projects: one row whose id is that of the Workspace. */
export interface Shortcuts {
  id: string;
  revision: string;
  project_ids: readonly string[];
}
export type Label = ItemOf<"listWorkspaceLabels">;
/** Ids combine the Project's id and the other id (see projects/members-and-labels.ts). */
export type ProjectMember = ItemOf<"listProjectMembers">;
export type LabelOverride = Awaited<ReturnType<Operations["listLabelOverrides"]>>["items"][number] & { id: string };
export type Milestone = ItemOf<"listMilestones">;
export type InboxItem = ItemOf<"listInbox">;
export type TimeEntry = ItemOf<"listTimesheet">;
/** Rows that belong to a Task, by task_id. */
export type Comment = ItemOf<"listTaskComments">;
/** Relation from the view of one Task. The id combines relation and Task, because the other Task has its own row. */
export type Relation = ItemOf<"listTaskRelations"> & { related_task_id: string };
export type Attachment = ItemOf<"listTaskAttachments">;
/** The member's own subscription; its id is that of the Task. */
export type Subscription = ItemOf<"getTaskSubscription"> & { id: string };
export type Document = ItemOf<"listDocuments">;
/** Messages of the member's own conversation with the assistant. */
export type DiscussMessage = ItemOf<"listDiscussMessages">;
export type Reminder = ItemOf<"listReminders">;
/** Person or Agent by actor id, to which fields such as assignee_actor_id refer. */
export interface Person {
  id: string;
  display_name: string | null;
  username: string | null;
  picture_url: string | null;
  user_id?: string;
  role?: string;
  state?: string;
}

export interface Rows {
  task: Task;
  project: Project;
  project_order: ProjectOrder;
  project_state: ProjectState;
  shortcuts: Shortcuts;
  status: Status;
  label: Label;
  project_member: ProjectMember;
  label_override: LabelOverride;
  milestone: Milestone;
  person: Person;
  inbox_item: InboxItem;
  time_entry: TimeEntry;
  comment: Comment;
  relation: Relation;
  attachment: Attachment;
  subscription: Subscription;
  document: Document;
  discuss_message: DiscussMessage;
  reminder: Reminder;
}
export type RowKind = keyof Rows;
export type AnyRow = { id: string; revision?: string };

/** Compares decimal revisions of any length. */
export function isNewer(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}
