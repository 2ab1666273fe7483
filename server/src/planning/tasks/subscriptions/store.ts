// SQL of Task subscriptions. Only explicit decisions are stored; the creator, assignee, commenters and mentioned Actors
// follow a Task implicitly, which is evaluated on each read. Lists examine a bounded range and skip what no longer
// applies.
import { pictureUrl } from "../../../accounts/account/view.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { projectOfCaller, projectVisible, projectVisibleTo } from "../../projects/access.ts";
import { memberSeeing } from "../store.ts";
import { TASK_ROW } from "../view.ts";

export type SubscriptionReason = "explicit" | "creator" | "assignee" | "commenter" | "mentioned";
export type SubscriptionState = "following" | "muted" | "none";

/** Joins an Actor's decision about Task t as s. */
const decided = (actor: string) => `
left join lateral (
  select * from task_subscriptions where workspace_id = t.workspace_id and task_id = t.id and actor_id = ${actor}
  limit 1
) s on true`;
/** Reasons why an Actor follows Task t, with the Actor's decision as s. */
const reasons = (actor: string) => `
to_json(array_remove(array[case when s.follows then 'explicit' end,
  case when t.created_by_actor_id = ${actor} then 'creator' end,
  case when t.assignee_actor_id = ${actor} then 'assignee' end,
  case when exists (select from comments c
    where c.workspace_id = t.workspace_id and c.task_id = t.id and c.author_actor_id = ${actor}
    and c.deleted_at is null) then 'commenter' end,
  case when exists (select from task_mentions n
    where n.workspace_id = t.workspace_id and n.task_id = t.id and n.actor_id = ${actor})
    then 'mentioned' end], null))`;

export interface StoredSubscription {
  task_id: string;
  project_id: string;
  follows: boolean | null;
  muted: boolean;
  reasons: SubscriptionReason[];
  /** "0" without a stored decision. */
  revision: string;
  updated_at: string | null;
}
const OWN = `
select t.id as task_id, t.project_id, s.follows, s.muted is true as muted, ${reasons("current_actor()")} as reasons,
  case when s.revision is null then '0' else s.revision::text end as revision, wire_time(s.updated_at) as updated_at
from tasks t join projects p on p.workspace_id = t.workspace_id
  and p.id = t.project_id ${projectOfCaller} ${decided("current_actor()")}
where t.workspace_id = current_workspace() and t.id = $1 and ${projectVisible}`;
/** The caller's own subscription to a visible Task. */
export const ownSubscription = (tx: Queries, taskId: string) => tx.maybe<StoredSubscription>(OWN, [taskId]);

const DECIDE = `
insert into task_subscriptions as old (workspace_id, task_id, actor_id, follows, muted)
values (current_workspace(), $1, current_actor(), $2, $3)
on conflict (workspace_id, task_id, actor_id) do update
set follows = excluded.follows, muted = excluded.muted, revision = old.revision + 1, updated_at = now()`;
export const decide = (tx: Queries, taskId: string, follows: boolean | null, muted: boolean) =>
  tx.rows(DECIDE, [taskId, follows, muted]);

// $1 is the Workspace.
const FOLLOW = `
insert into task_subscriptions (workspace_id, task_id, actor_id, follows, muted)
select $1, $2, able.actor_id, true, false from (${memberSeeing("$3", "any($4::uuid[])")}) able returning actor_id`;
/** Subscribes these Actors to a new Task; returns those who could be: active members who can see its Project. */
export const follow = async (
  tx: Queries,
  workspaceId: string,
  { id, project_id }: { id: string; project_id: string },
  actorIds: readonly string[],
) =>
  (await tx.rows<{ actor_id: string }>(FOLLOW, [workspaceId, id, project_id, actorIds])).map(
    ({ actor_id }) => actor_id,
  );

/**
 * Distinct values of a column of comments that are not deleted, starting after `from`: one index lookup per value,
 * however many comments have it.
 */
const distinct = (column: string, where: string, after: ">" | "<", from = "$1::uuid", most = "$2") => {
  const next = (than: string) => `
select c.${column} as id from comments c
where c.workspace_id = current_workspace() and ${where} and c.deleted_at is null and c.${column} ${after} ${than}
order by c.${column} ${after === "<" ? "desc" : ""} limit 1`;
  return `
with recursive authored(id, n) as (
  (select id, 1 from (${next(from)}) first)
  union all
  select step.id, a.n + 1 from authored a cross join lateral (${next("a.id")}) step where a.n < ${most}
)`;
};

const ofCaller = (column: string) => `workspace_id = current_workspace() and ${column} = current_actor()`;
const page = (from: string, id: string) =>
  `(select ${id} as id from ${from} and ${id} < $1 order by ${id} desc limit $2)`;
const muted = page(`task_subscriptions where ${ofCaller("actor_id")} and muted`, "task_id");
// Reads a page of each source, so that the newest of these are the newest of all.
const followed = [
  page(`task_subscriptions where ${ofCaller("actor_id")} and follows and not muted`, "task_id"),
  page(`tasks where ${ofCaller("created_by_actor_id")} and trashed_at is null`, "id"),
  page(`tasks where ${ofCaller("assignee_actor_id")} and assignee_actor_id is not null and trashed_at is null`, "id"),
  "select id from authored",
  page(`task_mentions where ${ofCaller("actor_id")}`, "task_id"),
].join(" union ");

const examineSql = (before: string, candidates: string, counts: string) => `
${before}
select json_build_array(found.id)::text as key,
  case when p.key is not null and t.trashed_at is null and ${counts} then ${TASK_ROW} end as json,
  ${reasons("current_actor()")} as reasons
from (select id from (${candidates}) every order by id desc limit $2) found
left join lateral (select * from tasks where workspace_id = current_workspace() and id = found.id limit 1) t on true
left join lateral (
  select p.key from projects p ${projectOfCaller}
  where p.workspace_id = t.workspace_id and p.id = t.project_id and ${projectVisible} limit 1
) p on true
${decided("current_actor()")}
order by found.id desc`;
const EXAMINE = {
  following: examineSql(
    distinct("task_id", "c.author_actor_id = current_actor()", "<"),
    followed,
    "s.muted is not true and s.follows is not false",
  ),
  muted: examineSql("", muted, "s.muted"),
};
/** `json` is null if the candidate does not apply. */
export interface Examined {
  key: string;
  json: string | null;
  reasons: SubscriptionReason[];
}
export const examineTasks = (tx: Queries, state: keyof typeof EXAMINE, before: string, rows: number) =>
  tx.rows<Examined>(EXAMINE[state], [before, rows]);

const ofTask = (from: string, id: string, key: string) =>
  `(select ${id} as id from ${from} where workspace_id = current_workspace() and ${key} = $3 and ${id} > $1
    order by ${id} limit $2)`;
const SUBSCRIBERS = `
${distinct("author_actor_id", "c.task_id = $3", ">")}
select json_build_array(found.id)::text as key,
  case when m.user_id is not null and (s.follows or s.follows is null and ${reasons("found.id")}::text <> '[]')
    and ${projectVisibleTo} then json_build_object(
      'actor_id', found.id, 'user_id', m.user_id, 'username', m.username, 'display_name', m.display_name,
      'picture_url', m.picture_url, 'reasons', ${reasons("found.id")})::text end as json
from (
  select id from (${[
    ofTask("task_subscriptions", "actor_id", "task_id"),
    ofTask("tasks", "created_by_actor_id", "id"),
    ofTask("tasks", "assignee_actor_id", "id"),
    ofTask("task_mentions", "actor_id", "task_id"),
    "select id from authored",
  ].join(" union ")}) every order by id limit $2
) found
cross join lateral (select * from tasks where workspace_id = current_workspace() and id = $3 limit 1) t
cross join lateral (select * from projects where workspace_id = t.workspace_id and id = t.project_id limit 1) p
${decided("found.id")}
left join lateral (
  select m.user_id, m.actor_id, m.role, u.username, u.display_name, ${pictureUrl("m.workspace_id")} as picture_url
  from memberships m join users u on u.id = m.user_id
  where m.workspace_id = t.workspace_id and m.actor_id = found.id and m.state = 'active' limit 1
) m on true
order by found.id`;
export const examineSubscribers = (tx: Queries, taskId: string, after: string, rows: number) =>
  tx.rows<Omit<Examined, "reasons">>(SUBSCRIBERS, [after, rows, taskId]);

/** Maximum of recipients of one event read at once; the rest are on the next page. */
export const RECIPIENTS_PAGE = 1_000;
const some = (from: string, after: string) =>
  `(select actor_id from ${from} where workspace_id = t.workspace_id and task_id = t.id and actor_id > ${after}
    order by actor_id limit ${RECIPIENTS_PAGE})`;
/** A page of possible followers of Task t as id, in id order; `wanted`: they follow it and have not muted it. */
export const followersOf = (after: string) => `(
  select f.id, s.muted is not true and s.follows is not false as wanted from (
    select id from (
      ${distinct("author_actor_id", "c.task_id = t.id", ">", after, String(RECIPIENTS_PAGE))}
      select id from authored
      union ${some("(select * from task_subscriptions where follows) s", after)}
      union ${some("task_mentions", after)}
      union select t.created_by_actor_id where t.created_by_actor_id > ${after}
      union select t.assignee_actor_id where t.assignee_actor_id > ${after}
    ) every order by id limit ${RECIPIENTS_PAGE}
  ) f ${decided("f.id")}
)`;
