// SQL of notifications: who is notified of a few events of one Workspace, which must be the connection's. A recipient
// is an active member who sees the subject now, did not cause the event, and wants the notification. Each command
// notifies a recipient once per Task or Document, in the most personal category.
import type { NotificationCategory } from "@svc/contract/types.ts";
import { notificationDefaults, type Ways } from "../../accounts/account/rules.ts";
import { projectOpenToWorker, projectVisibleTo, workerOf } from "../../planning/projects/access.ts";
import { policyOfProject } from "../../planning/projects/store.ts";
import { followersOf, RECIPIENTS_PAGE } from "../../planning/tasks/subscriptions/store.ts";
import type { FollowerPosition } from "../../platform/background/jobs.ts";
import type { Queries } from "../../platform/database/db.ts";
import { newId } from "../../platform/wire/ids.ts";
import { aboutSeen } from "./access.ts";
import { written } from "./document-store.ts";

/** An event as read back, with the fields that the job needs. */
export interface NoticeEvent {
  id: string;
  workspace_id: string;
  type: string;
  actor_id: string | null;
  command_id: string;
  project_id: string | null;
  task_id: string | null;
  resource_kind: string;
  resource_id: string;
  payload: unknown;
  occurred_at: string;
}
/** A recipient that is not read from the database. */
export interface Addressed {
  event_id: string;
  category: NotificationCategory;
  actor_id: string;
}

/**
 * Event types per category, from most to least personal. The other categories (mentions, due dates) have recipients
 * that their callers find.
 */
const kinds = {
  assigned: ["task.created", "task.assigned"],
  review_requested: ["task.created", "task.moved", "task.status_changed"],
  commented: ["task.comment.created"],
  status_changed: ["task.status_changed"],
  project_updates: [
    "project.updated",
    "milestone.created",
    "milestone.updated",
    "milestone.stage_changed",
    "milestone.deleted",
  ],
} as const;
const RANKS: NotificationCategory[] = [
  ...(["reminder", "assigned", "mentioned", "review_requested", "due_soon"] as const),
  ...(["commented", "status_changed", "project_updates"] as const),
  ...(["request_received", "request_decided", "webhook_disabled"] as const),
];
/** Event types with texts of Tasks that may mention somebody, and the type that removes such a text. */
export const texts = ["task.created", "task.description_changed", "task.comment.created", "task.comment.updated"];
export const TEXT_GONE = "task.comment.deleted";
const followedEvents = [...new Set([...Object.values(kinds).flat(), ...texts, ...written, TEXT_GONE])];

const TAKE = "select after::text, settled::text, events, more from take_events($1, $2, $3, $4)";
export const takeEvents = (tx: Queries, most: number, { after, settled }: FollowerPosition) =>
  tx.one<FollowerPosition & { events: NoticeEvent[]; more: boolean }>(TAKE, [followedEvents, most, after, settled]);
const TAKE_DUE = "select take_due_tasks($1) as tasks";
export const takeDueTasks = async (tx: Queries, most: number) =>
  (await tx.one<{ tasks: { workspace_id: string; task_id: string; actor_id: string }[] }>(TAKE_DUE, [most])).tasks;

/** Number of characters searched for mentions: no text may hold up the others. */
const LOOKED_AT = 30_000;
/**
 * The comment and the Task of an event e, each found by its key. Further conditions belong outside: without statistics,
 * the planner considers an index on rows that are not deleted as good as the key.
 */
const comment =
  "lateral (select * from comments c where c.workspace_id = current_workspace() and c.id = e.resource_id limit 1)";
const taskOfEvent =
  "lateral (select * from tasks t where t.workspace_id = current_workspace() and t.id = e.task_id limit 1)";
const documentOfEvent =
  "lateral (select * from documents d where d.workspace_id = current_workspace() and d.id = e.document_id limit 1)";
/** Whether member m sees the subject, which is in Project p, or is Document d without a Project. */
const seen = `case when d.id is not null and d.project_id is null then true else p.id is not null
  and ${projectVisibleTo} end`;
const TEXTS = `
select e.id as event_id, e.task_id, s.id as source_id, s.text,
  coalesce(e.payload -> 'author_actor_ids', jsonb_build_array(e.actor_id)) as authors
from jsonb_to_recordset($1::jsonb) as e(id uuid, task_id uuid, actor_id uuid, resource_kind text, resource_id uuid,
  payload jsonb, occurred_at timestamptz)
cross join lateral (
  (select t.id, left(t.description_markdown, ${LOOKED_AT}) as text from tasks t
   where e.resource_kind = 'task' and t.workspace_id = current_workspace() and t.id = e.task_id limit 1)
  union all
  (select c.id, left(c.markdown, ${LOOKED_AT}) from ${comment} c
  where e.resource_kind = 'comment' and c.deleted_at is null)
) s where position('@' in s.text) > 0 order by e.occurred_at, e.id`;
export interface Written {
  event_id: string;
  /** Authors of the change that the event records. */
  authors: string[];
  task_id: string;
  source_id: string;
  text: string;
}
/** The current texts that these events are about, if they may contain a mention. */
export const textsOf = (tx: Queries, events: readonly NoticeEvent[]) =>
  tx.rows<Written>(TEXTS, [JSON.stringify(events)]);

// Mentions members who see the text. A text mentions somebody once, however often it changes. The latest 1,000 texts
// per person and Task are stored.
const MENTION = `
insert into task_mentions as old (workspace_id, task_id, actor_id, sources)
select t.workspace_id, t.id, n.actor_id, array[$2::uuid] from tasks t
cross join lateral (select * from projects where workspace_id = t.workspace_id and id = t.project_id limit 1) p
join member_names n on n.workspace_id = t.workspace_id and n.part = 0 and n.name = any($3::text[])
cross join ${workerOf("t.workspace_id", "n.actor_id")}
where t.workspace_id = current_workspace() and t.id = $1 and t.trashed_at is null and ${projectOpenToWorker}
on conflict (workspace_id, task_id, actor_id) do update
set sources = (old.sources || excluded.sources)[greatest(1, cardinality(old.sources) - 998):]
where not old.sources @> excluded.sources
returning actor_id`;
/** Returns only those whom this text had not mentioned before. */
export const mention = async (tx: Queries, { task_id, source_id }: Written, usernames: string[]) =>
  (await tx.rows<{ actor_id: string }>(MENTION, [task_id, source_id, usernames])).map(({ actor_id }) => actor_id);

const FORGET = `
update task_mentions set sources = array_remove(sources, $2::uuid)
where workspace_id = current_workspace() and task_id = $1 and sources @> array[$2::uuid]`;
const FORGET_LAST =
  "delete from task_mentions where workspace_id = current_workspace() and task_id = $1 and sources = '{}'";
/** Removes the mentions of a deleted text. */
export const forgetMentions = (tx: Queries, { task_id, resource_id }: NoticeEvent) =>
  Promise.all([tx.rows(FORGET, [task_id, resource_id]), tx.rows(FORGET_LAST, [task_id])]);

/**
 * Whether a recipient wants a notification over this channel. Requires the preference as w and the category as
 * f.category.
 */
export const wants = (way: keyof Ways) => {
  const usual = RANKS.filter((category) => notificationDefaults[category][way]);
  return `coalesce(w.${way}, f.category = any('{${usual.join(",")}}'::text[]))`;
};
export const preferences = `
left join notification_preferences w on w.workspace_id = current_workspace() and w.actor_id = f.actor_id
  and w.category = f.category`;
/** A muted subscription lets only personal categories through. Requires the Task as t, which may be null. */
const heard = `(f.category in ('assigned', 'mentioned', 'reminder') or not exists (
  select from task_subscriptions s
  where s.workspace_id = current_workspace() and s.task_id = t.id and s.actor_id = f.actor_id and s.muted))`;

const of = (category: keyof typeof kinds) => `e.type = any('{${kinds[category].join(",")}}'::text[])`;
/** Cursor after the last recipient of the previous page. */
const AFTER = "$3::uuid";
const found = (category: NotificationCategory, actor: string, from: string, wanted = "true") =>
  `select e.id as event_id, '${category}' as category, ${actor} as actor_id, ${wanted} as wanted from e ${from}`;
const task = `join ${taskOfEvent} t on true`;
/** Reviewers under the completion policy: the Project's leads or, without any, those who manage the Workspace. */
const leads = `
    select x.actor_id from project_members x
    join memberships l on l.workspace_id = x.workspace_id and l.actor_id = x.actor_id and l.state = 'active'
    where x.workspace_id = p.workspace_id and x.project_id = p.id and x.role = 'lead' and l.role <> 'viewer'`;
const reviewers = `(
  (${leads} and x.actor_id > ${AFTER} order by x.actor_id limit ${RECIPIENTS_PAGE})
  union all
  (select l.actor_id from memberships l
   where l.workspace_id = p.workspace_id and l.state = 'active' and l.role in ('owner', 'admin')
     and l.actor_id > ${AFTER} and not exists (${leads})
   order by l.actor_id limit ${RECIPIENTS_PAGE})
) r`;
const PLANS = "'{state_id,start_date,target_date,archived,archived_at}'::text[]";

// Checks the current state: former assignees are not notified, nor are reviewers of a review that is over.
const RECIPIENTS = `
/* reads up to 8000: a thousand events, each once for each category, or a page of the recipients of one */
with e as materialized (
  select * from jsonb_to_recordset($1::jsonb) as e(
    id uuid, type text, actor_id uuid, command_id uuid, project_id uuid, task_id uuid, resource_kind text,
      resource_id uuid, payload jsonb, occurred_at timestamptz)
), f as materialized (
  ${[
    found(
      "assigned",
      "a.actor_id",
      `join task_assignments a on a.workspace_id = current_workspace() and a.task_id = e.task_id
    and a.assigned_at = e.occurred_at and a.closed_at is null where ${of("assigned")}`,
    ),
    found(
      "review_requested",
      "r.actor_id",
      `join ${taskOfEvent} t on t.project_id = e.project_id
    and t.status_id::text = coalesce(e.payload -> 'to' ->> 'status_id', e.payload ->> 'to', e.payload ->> 'status_id')
    join statuses s on s.workspace_id = t.workspace_id and s.id = t.status_id
    join lifecycle_stages g on g.workspace_id = s.workspace_id and g.id = s.stage_id and g.awaits_review
    join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${policyOfProject}
    cross join lateral ${reviewers} where ${of("review_requested")} and c.review_required`,
    ),
    found(
      "commented",
      "r.id",
      `cross join ${comment} c ${task} cross join lateral ${followersOf(AFTER)} r
        where ${of("commented")} and c.deleted_at is null`,
      "r.wanted",
    ),
    found(
      "status_changed",
      "r.id",
      `${task} cross join lateral ${followersOf(AFTER)} r where ${of("status_changed")}`,
      "r.wanted",
    ),
    found(
      "project_updates",
      "r.actor_id",
      `cross join lateral (
      select actor_id from project_members
      where workspace_id = current_workspace() and project_id = e.project_id and actor_id > ${AFTER}
      order by actor_id limit ${RECIPIENTS_PAGE}
    ) r where ${of("project_updates")}
      and (e.type <> 'project.updated' or e.payload -> 'fields' ?| ${PLANS} or e.payload -> 'to' ?| ${PLANS})`,
    ),
    `select g.event_id, g.category, g.actor_id, true
      from jsonb_to_recordset($2::jsonb) as g(event_id uuid, category text, actor_id uuid) where g.actor_id > ${AFTER}`,
  ].join("\n  union all ")}
), cut as materialized (
  -- A list that is as long as a page may go on: everybody up to its last is known for every event, and nobody behind.
  select min(full_page.last)::uuid as last from (
    select max(f.actor_id::text collate "C") as last from f where f.category <> 'mentioned'
    group by f.event_id, f.category having count(*) >= ${RECIPIENTS_PAGE}) full_page
), told as (
  select distinct on (e.command_id, e.subject_id, f.actor_id) f.category, f.actor_id, m.user_id, e.*,
    ${wants("in_app")} as listed,
    ${wants("push")} as push, ${wants("email")} as mail
  from f
  join (
    select e.*, coalesce(e.task_id, e.document_id, e.project_id) as subject_id
    from (select *, case resource_kind when 'document' then resource_id end as document_id from e) e
  ) as e(id, type, from_actor_id, command_id, project_id, task_id, resource_kind, resource_id, payload, occurred_at,
    document_id, subject_id) on e.id = f.event_id
  left join ${taskOfEvent} t on t.trashed_at is null
  left join ${documentOfEvent} d on d.trashed_at is null
  left join projects p on p.workspace_id = current_workspace()
    and p.id = case when e.task_id is not null then t.project_id when e.document_id is not null then d.project_id
      else e.project_id end
  join memberships m on m.workspace_id = current_workspace() and m.actor_id = f.actor_id and m.state = 'active'
  ${preferences}
  where f.wanted and ((select last from cut) is null or f.actor_id <= (select last from cut))
    and f.actor_id is distinct from e.from_actor_id and ${seen} and ${heard}
    and (${wants("in_app")} or ${wants("push")} or ${wants("email")})
  order by e.command_id, e.subject_id, f.actor_id, array_position('{${RANKS.join(",")}}'::text[], f.category),
    e.occurred_at desc
), newest as (
  select distinct on (actor_id, category, subject_id) *,
    count(*) over (partition by actor_id, category, subject_id)::int as count
  from told order by actor_id, category, subject_id, occurred_at desc, id desc
)
select cut.last as next, actor_id, user_id, category, task_id, document_id,
  case when subject_id = project_id then project_id end as project_id, type as event_type, from_actor_id,
  case when resource_kind = 'comment' then resource_id end as comment_id, count, occurred_at as newest_at, listed, push,
  mail as mail_due,
  (select u.display_name from users u where u.id = newest.user_id) as display_name
from cut left join newest on true order by actor_id, category, subject_id`;
export interface Notice {
  actor_id: string;
  user_id: string;
  display_name: string;
  category: NotificationCategory;
  /** The subject: exactly one of the three is set. */
  task_id: string | null;
  document_id: string | null;
  project_id: string | null;
  push: boolean;
}
/**
 * Reads a page of notices after one recipient. `next` is the last recipient of the page, or null if it is the last
 * page.
 */
export async function noticesOf(
  tx: Queries,
  events: readonly NoticeEvent[],
  addressed: readonly Addressed[],
  after: string,
): Promise<{ notices: Notice[]; next: string | null }> {
  const values = [JSON.stringify(events), JSON.stringify(addressed), after];
  const rows = await tx.rows<Notice & { next: string | null }>(RECIPIENTS, values);
  const notices = rows.filter(({ actor_id }) => actor_id !== null).map(({ next: _, ...notice }) => notice);
  return { notices, next: rows[0]?.next ?? null };
}

/** A due reminder with its owner and its subject, if that still exists. */
export interface Reminded {
  reminder_id: string;
  actor_id: string;
  task_id: string | null;
  document_id: string | null;
  project_id: string | null;
}
const REMINDED = `
select f.*, m.user_id, 'reminder.due' as event_type, 1 as count, now() as newest_at, ${wants("in_app")} as listed,
  ${wants("push")} as push,
  ${wants("email")} as mail_due
from (
  select e.*, 'reminder' as category
  from jsonb_to_recordset($1::jsonb) as e(reminder_id uuid, actor_id uuid, task_id uuid, document_id uuid,
    project_id uuid)
) f
join memberships m on m.workspace_id = current_workspace() and m.actor_id = f.actor_id and m.state = 'active'
${preferences}
where ${wants("in_app")} or ${wants("push")} or ${wants("email")}`;
/** The notices of those reminders whose owners want them over any channel. */
export const remindersWanted = (tx: Queries, reminders: readonly Reminded[]) =>
  tx.rows<Notice>(REMINDED, [JSON.stringify(reminders)]);

// Listed and unlisted items gather separately: a listed item stays in the inbox, whatever its owner prefers later.
// Nobody can read an unlisted item, so its count restarts once it was sent; otherwise each message would count all
// earlier ones.
const GATHER = `
insert into inbox_items as old (workspace_id, id, actor_id, category, task_id, document_id, project_id, reminder_id,
  event_type, from_actor_id, comment_id, count, newest_at,
  listed, mail_due)
select current_workspace(), n.id, n.actor_id, n.category, n.task_id, n.document_id, n.project_id, n.reminder_id,
  n.event_type, n.from_actor_id, n.comment_id, n.count,
  n.newest_at, n.listed, n.mail_due
from jsonb_to_recordset($1::jsonb) as n(id uuid, actor_id uuid, category text, task_id uuid, document_id uuid,
  project_id uuid, reminder_id uuid, event_type text, from_actor_id uuid,
  comment_id uuid, count integer, newest_at timestamptz, listed boolean, mail_due boolean)
on conflict (workspace_id, actor_id, category, subject_id, listed) where gathering do update
set count = case when old.listed or old.mail_due then old.count else 0 end + excluded.count,
  event_type = excluded.event_type, from_actor_id = excluded.from_actor_id, comment_id = excluded.comment_id,
  newest_at = greatest(old.newest_at, excluded.newest_at), mail_due = excluded.mail_due,
  revision = old.revision + 1, updated_at = now()
returning id, actor_id`;
/** Upserts the items of these notices and returns their ids, in no order. */
export const gather = (tx: Queries, notices: readonly Notice[]) => {
  const rows = notices.map((notice) => ({ id: newId(), ...notice }));
  return tx.rows<{ id: string; actor_id: string }>(GATHER, [JSON.stringify(rows)]);
};

/**
 * Whether an item still applies: after reassigning, reviewing or completing a Task, its former assignee or reviewer
 * receives no message about it.
 */
const stillSo = `case f.category when 'assigned' then t.assignee_actor_id = f.actor_id
  when 'review_requested' then g.awaits_review
  when 'reminder' then r.state = 'delivered' when 'due_soon' then s.category not in ('completed', 'cancelled')
  and t.due_date <= (now() at time zone 'UTC')::date + 2 else true end`;
/**
 * Reads the items of one person ($1) that `which` selects with $2, if they still apply and the person wants this
 * channel. A reminder is sent whatever became of its subject, which is named only if the person sees it.
 */
export const tellable = (way: "push" | "email", which: string) => `
select f.id, f.category, f.count, coalesce(u.display_name, a.name) as actor_name, r.text as reminder, f.event_type,
  f.about_name, f.about_note,
  plain_excerpt(c.markdown) as excerpt, v.*
from inbox_items f
join memberships m on m.workspace_id = f.workspace_id and m.actor_id = f.actor_id and m.state = 'active'
join workspaces ws on ws.id = f.workspace_id and ws.archived_at is null
left join tasks t on t.workspace_id = f.workspace_id and t.id = f.task_id
left join documents d on d.workspace_id = f.workspace_id and d.id = f.document_id
left join projects p on p.workspace_id = f.workspace_id
  and p.id = case when f.task_id is not null then t.project_id when f.document_id is not null then d.project_id
    else f.project_id end
left join statuses s on s.workspace_id = t.workspace_id and s.id = t.status_id
left join lifecycle_stages g on g.workspace_id = s.workspace_id and g.id = s.stage_id
left join comments c on c.workspace_id = f.workspace_id and c.id = f.comment_id and c.deleted_at is null
left join actors a on a.workspace_id = f.workspace_id and a.id = f.from_actor_id
left join users u on u.id = a.user_id
left join discuss_reminders r on r.workspace_id = f.workspace_id and r.id = f.reminder_id
left join lateral (
  select p.key || '-' || t.number as code, coalesce(t.title, d.title) as title, d.id as document_id, d.path,
    s.name as status_name, t.due_date, p.name as project_name,
    true as seen
  where t.trashed_at is null and d.trashed_at is null and ${seen}
) v on true
${preferences}
where f.workspace_id = current_workspace() and f.actor_id = $1 and ${which} and f.state = 'unread'
  and (v.seen or f.reminder_id is not null or (${aboutSeen("f", "m.role in ('owner', 'admin')")}))
  and (f.comment_id is null or c.id is not null) and ${heard}
  and ${wants(way)} and ${stillSo}
order by f.newest_at desc, f.id desc`;
