// Creates Tasks in a Project, for every operation that does so. Refuses if the Project accepts no new work.

import { HOLD } from "../../accounts/workspaces/access.ts";
import { settle } from "../../platform/kernel/context.ts";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { attachFiles } from "../attachments/change.ts";
import { requireLabels, taskLabelsChanged } from "../labels/change.ts";
import type { InProject } from "../projects/access.ts";
import { type References, refuseFields, requireReferences, requireReviewed } from "./change.ts";
import { subjectOf, taskCreated } from "./events.ts";
import { type RequestedRelation, relateAll } from "./relations/change.ts";
import type { Type } from "./relations/rules.ts";
import type { TaskFields } from "./rules.ts";
import * as store from "./store.ts";
import { followedBy } from "./subscriptions/change.ts";

export interface Workplace extends InProject {
  id: string;
  key: string;
  closed: boolean;
}
type Given = Partial<
  Pick<
    TaskFields,
    | "description_markdown"
    | "priority"
    | "status_id"
    | "assignee_actor_id"
    | "milestone_id"
    | "start_date"
    | "due_date"
    | "label_ids"
    | "parent_id"
  >
> & {
  title: string;
  relations?: readonly { type: Type; related_task_id: string }[];
  attachment_ids?: readonly string[];
  follower_actor_ids?: readonly string[];
};

/** Relations to create, including the parent. */
const relationsOf = ({ parent_id, relations = [] }: Given): RequestedRelation[] => [
  ...(parent_id ? [{ type: "child_of" as const, related_task_id: parent_id, pointer: "/body/parent_id" }] : []),
  ...relations.map((each, index) => ({ ...each, pointer: `/body/relations/${index}/related_task_id` })),
];

/**
 * Creates a Task and returns its wire representation. Labels, relations, attachments and followers use the code of
 * their own operations, in the round-trip after the insert. With relations, the Workspace row is locked before anything
 * else.
 */
export async function createIn(context: Context, project: Workplace, body: Given) {
  const { tx, record } = context;
  if (project.closed) refuse("project_closed");
  const task = { id: newId(), project_id: project.id };
  const { label_ids = [], attachment_ids = [], follower_actor_ids = [] } = body;
  const relations = relationsOf(body);
  const number = await context.numberIn(project.id);
  const [, labels, row] = await settle([
    relations.length > 0 && tx.rows(HOLD),
    label_ids.length > 0 && requireLabels(context, { kind: "task", project_id: project.id }, label_ids),
    insert(context, project, { id: task.id, number }, body),
  ]);
  const created = { title: body.title, status_id: body.status_id };
  record(taskCreated(subjectOf(task), created));
  if (labels) record(taskLabelsChanged(subjectOf(task), { from: [], to: labels.after }));
  const files = attachment_ids.map((id, index) => ({ id, pointer: `/body/attachment_ids/${index}` }));
  const [related, , followed] = await settle([
    relations.length > 0 ? relateAll(context, task, relations) : [],
    files.length > 0 && attachFiles(context, { kind: "task", id: task.id, projectId: project.id }, files),
    follower_actor_ids.length > 0 ? followedBy(context, task, follower_actor_ids) : [],
  ]);
  for (const fact of [...followed, ...related]) record(fact);
  const parent = relations.find(({ type }) => type === "child_of");
  const json = parent ? withParent(row.json, parent.related_task_id) : row.json;
  return { id: task.id, revision: row.revision, json };
}

const withParent = (json: string, parent_id: string) => JSON.stringify({ ...JSON.parse(json), parent_id });

async function insert(context: Context, project: Workplace, made: { id: string; number: bigint }, body: Given) {
  const { workspaceId, actorId } = context.member;
  const row = await store.createTask(context.tx, {
    ...made,
    workspaceId,
    projectId: project.id,
    projectKey: project.key,
    title: body.title,
    description: body.description_markdown ?? "",
    priority: body.priority ?? "none",
    statusId: body.status_id ?? null,
    assigneeActorId: body.assignee_actor_id ?? null,
    milestoneId: body.milestone_id ?? null,
    labelIds: [...new Set(body.label_ids)],
    startDate: body.start_date ?? null,
    dueDate: body.due_date ?? null,
    actorId,
    assignmentId: newId(),
  });
  return row ?? refuseReferences(context, project, body);
}

/** Refuses with the invalid reference or the required review; if neither applies, no Status is left to start in. */
async function refuseReferences(context: Context, project: Workplace, body: References): Promise<never> {
  const entering = await requireReferences(context, project.id, body, null);
  if (entering) requireReviewed(context, project, entering);
  return refuseFields(["status_id"]);
}
