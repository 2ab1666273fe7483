// SQL of a Task's context: one batch of bounded statements. Items that the caller cannot see are not counted; the
// response says only that there are some. `task` is the SQL of the Task's id, so that a lookup by code needs no extra
// round-trip.
import { MOST_RELATIONS } from "@svc/contract/planning/tasks/relations/relations.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { callerNarrowed, projectOfCaller, projectVisible } from "../../projects/access.ts";
import { idByCode, partsOfCode } from "../access.ts";
import { dismissedRelated } from "../own-work/suggestion-store.ts";
import { type Type, typeSeenSql } from "../relations/rules.ts";
import { MOST_OF_A_COMMENT, type ProfileName, profiles } from "./rules.ts";
import { personName, relatedPairs } from "./view.ts";

export interface ContextTaskRow {
  id: string;
  relation: Type;
  code: string;
  title: string;
  priority: "none" | "low" | "medium" | "high" | "urgent";
  status: { name: string; category: "backlog" | "unstarted" | "started" | "completed" | "cancelled" };
  due_date: string | null;
}
export type Sibling = Omit<ContextTaskRow, "relation">;
export interface ContextCommentRow {
  id: string;
  author: { username: string | null; display_name: string | null };
  markdown: string;
  truncated: boolean;
  created_at: string;
  deleted_at: string | null;
}
export interface TaskPlace {
  project: { id: string; code: string; name: string };
  milestone: { id: string; code: string; name: string; target_date: string | null } | null;
}

// Relations from both ends, up to the limit of relations per Task. Tasks in the trash are left out.
const end = (column: string, task: string) => `
(select * from task_relations where workspace_id = current_workspace() and ${column} = ${task} order by id
limit ${MOST_RELATIONS})`;
const relatedSql = (task: string, where = "") => `
select ${projectVisible} as visible, json_build_object('relation', ${typeSeenSql(task)}, ${relatedPairs}) as related
from (${end("from_task_id", task)} union all ${end("to_task_id", task)}) r
cross join lateral (
  select * from tasks where workspace_id = r.workspace_id
    and id = case when r.from_task_id = ${task} then r.to_task_id else r.from_task_id end limit 1
) t
cross join lateral (select * from projects where workspace_id = t.workspace_id and id = t.project_id
  limit 1) p ${projectOfCaller}
where t.trashed_at is null and p.deleted_at is null ${where} order by r.id`;
const WANTED = relatedSql("$1", `and not ${dismissedRelated("$1", "t.id")}`);

/** Oldest relation first, without those that the caller has dismissed. */
export const wantedTasks = (tx: Queries, taskId: string) => relatedTasks(tx, WANTED, [taskId]);
async function relatedTasks(tx: Queries, sql: string, values: string[]) {
  const rows = await tx.rows<{ visible: boolean; related: ContextTaskRow }>(sql, values);
  return {
    related: rows.filter(({ visible }) => visible).map(({ related }) => related),
    inaccessible: rows.some(({ visible }) => !visible),
  };
}

/** A Document that is linked to the Task or mentions it. */
export interface ContextDocumentRow {
  id: string;
  path: string;
  title: string;
  updated_at: string;
}
/** A Document may have one link per origin: twice what the largest profile shows. */
const MOST_LINKS = 4 * profiles.full.related;
// Same visibility rule as knowledge/documents/access.ts, which depends on Tasks and cannot be imported here.
const documentsSql = (task: string) => `
/* reads up to ${4 * MOST_LINKS}: links, and of each whether the Document is seen */
select (d.project_id is null and not ${callerNarrowed} or ${projectVisible}) as visible,
  json_build_object('id', d.id, 'path', d.path, 'title', d.title, 'updated_at', wire_time(d.updated_at)) as linked
from (
  select distinct l.document_id from (
    select l.document_id from document_links l
    where l.workspace_id = current_workspace() and l.target_kind = 'task' and l.target_id = ${task}
    order by l.document_id desc limit ${MOST_LINKS}) l
) l
cross join lateral (select * from documents where workspace_id = current_workspace() and id = l.document_id limit 1) d
left join projects p on p.workspace_id = d.workspace_id and p.id = d.project_id ${projectOfCaller}
where d.trashed_at is null and (d.project_id is null or p.deleted_at is null) order by d.id desc`;
/** Linked Documents, newest first. */
async function linkedDocuments(tx: Queries, sql: string, values: string[]) {
  const rows = await tx.rows<{ visible: boolean; linked: ContextDocumentRow }>(sql, values);
  return {
    documents: rows.filter(({ visible }) => visible).map(({ linked }) => linked),
    hidden: rows.some(({ visible }) => !visible),
  };
}

/** Reads one more than the profile shows, to detect that there are more. */
const commentsSql = (task: string, profile: ProfileName) => `
select c.id, ${personName("c.workspace_id", "c.author_actor_id")} as author,
  left(c.markdown, ${MOST_OF_A_COMMENT}) as markdown,
  length(c.markdown) > ${MOST_OF_A_COMMENT} as truncated, wire_time(c.created_at) as created_at,
  wire_time(c.deleted_at) as deleted_at
from comments c where c.workspace_id = current_workspace() and c.task_id = ${task}
order by c.created_at desc, c.id desc limit ${profiles[profile].comments + 1}`;

const placeSql = (task: string) => `
select json_build_object('id', p.id, 'code', p.key, 'name', p.name) as project,
  (select json_build_object('id', m.id, 'code', p.key || '-M' || m.number, 'name', m.name, 'target_date', m.target_date)
   from milestones m where m.workspace_id = t.workspace_id and m.id = t.milestone_id) as milestone
from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id
where t.workspace_id = current_workspace() and t.id = ${task}`;

const statements = (task: string, profile: ProfileName) => ({
  place: placeSql(task),
  related: relatedSql(task),
  documents: documentsSql(task),
  comments: commentsSql(task, profile),
});
const byId = { compact: statements("$1", "compact"), full: statements("$1", "full") };
const byCode = statements(idByCode, "full");

async function read(tx: Queries, sql: ReturnType<typeof statements>, values: string[]) {
  const [rest, { related, inaccessible }, { documents, hidden }, comments] = await Promise.all([
    tx.maybe<TaskPlace>(sql.place, values),
    relatedTasks(tx, sql.related, values),
    linkedDocuments(tx, sql.documents, values),
    tx.rows<ContextCommentRow>(sql.comments, values),
  ]);
  return rest && { rest, related, documents, inaccessible: inaccessible || hidden, comments };
}
/** The context without the Task itself, in one round-trip. The caller has checked that the Task is readable. */
export const materialOf = async (tx: Queries, taskId: string, profile: ProfileName) =>
  (await read(tx, byId[profile], [taskId])) as NonNullable<Awaited<ReturnType<typeof read>>>;
/** The context for any profile, read before the caller's access to the Task is known. */
export const materialByCode = (tx: Queries, code: string) => read(tx, byCode, partsOfCode(code));

const SIBLINGS = `
select json_build_object(${relatedPairs}) as sibling
from (select id, milestone_id from tasks where workspace_id = current_workspace() and id = $1 limit 1) own
cross join lateral (
  select * from tasks s where workspace_id = current_workspace() and milestone_id = own.milestone_id and id <> own.id
    and trashed_at is null
    and not ${dismissedRelated("$1", "s.id")}
  order by number desc limit $2
) t
cross join lateral (select key from projects where workspace_id = t.workspace_id and id = t.project_id limit 1) p
order by t.number desc`;
/**
 * Tasks of the same Milestone. A Milestone belongs to one Project, so the caller can see all of them; those that it
 * dismissed are left out.
 */
export async function milestoneTasks(tx: Queries, taskId: string, profile: ProfileName) {
  // Reads twice the limit, because Tasks with a relation are removed afterwards.
  const rows = await tx.rows<{ sibling: Sibling }>(SIBLINGS, [taskId, 2 * profiles[profile].related + 1]);
  return rows.map(({ sibling }) => sibling);
}
