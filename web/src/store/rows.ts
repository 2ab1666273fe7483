// What the store holds, by kind: rows as the service answers them. Who needs another kind adds it here, with how it is read again in the
// domain that it belongs to (see domain.ts).
import type { Operations } from "@svc/client";

type ItemOf<Name extends keyof Operations> = Operations[Name] extends (...args: never[]) => infer Answer
  ? Answer extends AsyncIterable<infer Item>
    ? Item
    : Awaited<Answer>
  : never;
type Capabilities = ItemOf<"getTask">["capabilities"];

/** A row of a list; description and capabilities come with a read of the Task alone, and are dropped when it changes. */
export type Task = Omit<ItemOf<"listProjectTasks">, "description_excerpt"> & {
  description_excerpt?: string;
  capabilities?: Capabilities;
};
export type Project = ItemOf<"listProjects"> & { capabilities?: Capabilities };
export type Status = Omit<ItemOf<"listProjectStatuses">, "created_at" | "updated_at">;
/** What a Project is in, as a Task is in a Status. */
export type ProjectState = Omit<ItemOf<"listProjectStates">, "created_at" | "updated_at">;
/** The order that people have given the Projects: one row, with the id of the Workspace. */
export interface ProjectOrder {
  id: string;
  ids: readonly string[];
}
/** The Projects that somebody keeps at hand: one row, with the id of the Workspace. */
export interface Shortcuts {
  id: string;
  revision: string;
  project_ids: readonly string[];
}
export type Label = ItemOf<"listWorkspaceLabels">;
/** Their ids are made of the Project's and the other one's (see projects/parts.ts). */
export type ProjectMember = ItemOf<"listProjectMembers">;
export type LabelOverride = Awaited<ReturnType<Operations["listLabelOverrides"]>>["items"][number] & { id: string };
export type Milestone = ItemOf<"listMilestones">;
export type InboxItem = ItemOf<"listInbox">;
export type TimeEntry = ItemOf<"listTimesheet">;
/** What is said and kept about a Task; each names it in task_id. */
export type Comment = ItemOf<"listTaskComments">;
/** As one Task sees it. Its id is that of the relation and of the Task: the other Task sees the same one differently. */
export type Relation = ItemOf<"listTaskRelations"> & { related_task_id: string };
export type Attachment = ItemOf<"listTaskAttachments">;
/** One's own, under the id of the Task. */
export type Subscription = ItemOf<"getTaskSubscription"> & { id: string };
export type Document = ItemOf<"listDocuments">;
/** One's own conversation with the assistant. */
export type DiscussMessage = ItemOf<"listDiscussMessages">;
export type Reminder = ItemOf<"listReminders">;
/** By Actor id: what assignee_actor_id and its like name. */
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
export type Kind = keyof Rows;
export type AnyRow = { id: string; revision?: string };

/** Decimal revisions of any length. */
export function isNewer(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}
